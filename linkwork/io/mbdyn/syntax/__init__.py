"""The language of decks: text, expressions, arguments of a card."""
