"""The expressions of decks: a typed language of bools, integers, reals and strings.

From weak to strong:  =   && || ~|   < <= == != >= >   + -   * / %   ^   unary - + !

Operators of one strength group from the left, so that 1 || 1 && 0 is 0; ^ groups from the right.
Signs bind tighter than the power, so -2^2 is 4, and !a == b compares !a (MBDyn input manual, table
"Built-in mathematical operators").  1/3 of integers is 0, but a power is always a real, so that
9^2/10^2 is 0.81.
An integer that does not fit into 32 bits is a real.
Several expressions in parentheses, with semicolons between them, have the value of the last.

An expression becomes a tree of tuples (operator, parts …), which `evaluation` gives values to and
`formula` turns into a function of time.
"""

from __future__ import annotations

import functools
import re
from typing import Any

Tree = tuple[Any, ...]

TOKEN = re.compile(
    r"\s*(?:"
    r"(?P<real>(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)"
    r"|(?P<integer>\d+)"
    r"|(?P<name>[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*)"
    r'|(?P<string>"(?:\\[\s\S]|[^"\\])*")'
    r"|(?P<operator>~\||\|\||&&|<=|>=|==|!=|[-+*/%^<>=!()\[\],;])"
    r")"
)
TYPES = ("bool", "integer", "real", "string")
DEEPEST = 40
LARGEST = 2**31 - 1


class ExpressionError(Exception):
    """What is wrong with an expression, and where in it; turned into an MbdynError above."""

    def __init__(self, sentence: str, at: int = 0, name: str | None = None, hint: str = "") -> None:
        super().__init__(sentence)
        self.at, self.name, self.hint = at, name, hint  # name: of what is not known


class Unreadable(ExpressionError):
    """A datum that MBDyn may have, and that cannot be read while the model of linkwork moves."""


def text_of(quoted: str) -> str:
    """A string without its quotes: \\\\, \\", line breaks and \\41 (hexadecimal) resolved."""

    def resolve(m: re.Match) -> str:
        found = m.group(1)
        if found in ("\n", "\r\n"):
            return ""
        return chr(int(found, 16)) if len(found) == 2 else found

    return re.sub(r"\\(\r\n|[0-9a-fA-F]{2}|.)", resolve, quoted[1:-1], flags=re.S)


def plain_name(name: str) -> str:
    """The name of a variable; the namespace of variables is called default."""
    return "".join(name.split()).removeprefix("default::")


class Parser:
    """A tree from a text, by recursive descent."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str, int]] = []
        at, end = 0, len(text.rstrip())
        while at < end:
            m = TOKEN.match(text, at)
            if m is None:
                skip = len(text) - len(text[at:].lstrip())
                raise ExpressionError(f"expected an expression, found {text[skip]!r}", skip)
            kind = str(m.lastgroup)
            self.tokens.append((kind, m.group(kind), m.start(kind)))
            at = m.end()
        self.tokens.append(("end", "", end))
        self.i, self.depth = 0, 0

    def peek(self) -> str:
        kind, word, _ = self.tokens[self.i]
        return word if kind == "operator" else ""

    def take(self, *words: str) -> str:
        """The next token where it is one of these operators, else nothing."""
        word = self.peek()
        if word and word in words:
            self.i += 1
            return word
        return ""

    def fail(self, expected: str) -> ExpressionError:
        kind, word, at = self.tokens[self.i]
        found = "the end" if kind == "end" else f"'{word}'"
        return ExpressionError(f"expected {expected}, found {found}", at)

    def expect(self, word: str) -> None:
        if not self.take(word):
            raise self.fail(f"'{word}'")

    def whole(self) -> Tree:
        if self.tokens[0][0] == "end":
            return ("empty",)
        tree = self.sequence("")
        kind = self.tokens[self.i][0]
        if kind != "end":
            error = self.fail("an operator or the end of the expression")
            if kind in ("real", "integer", "name", "string"):
                error.hint = "; is a comma missing before it?"
            raise error
        return tree

    def sequence(self, closing: str) -> Tree:
        parts = [self.statement()]
        while self.take(";"):
            if self.tokens[self.i][0] == "end" or (closing and self.peek() == closing):
                break
            parts.append(self.statement())
        return parts[0] if len(parts) == 1 else ("sequence", *parts)

    def statement(self) -> Tree:
        """A declaration, an assignment or an expression."""
        if self.take("["):
            return self.plugin()
        names = []
        i = self.i
        while self.tokens[i][0] == "name":
            names.append(self.tokens[i][1])
            i += 1
        if len(names) >= 2:
            *modifiers, kind, name = names
            name = plain_name(name)
            if not {kind, *modifiers} & {*TYPES, "const", "ifndef"}:
                words = " ".join(names)
                sentence = f"'{words}' is no keyword here, and no expression"
                raise ExpressionError(sentence, name=words)
            unknown = [x for x in modifiers if x not in ("const", "ifndef")]
            if kind not in TYPES or unknown:
                odd = unknown[0] if kind in TYPES else kind
                raise ExpressionError(
                    f"expected a declaration such as 'const real x = 1.', found '{odd}', which is "
                    f"none of const, ifndef, {', '.join(TYPES)}", self.tokens[self.i][2],
                )  # fmt: skip
            self.i = i
            value = self.statement() if self.take("=") else None
            return ("declare", frozenset(modifiers), kind, name, value)
        if len(names) == 1 and self.tokens[i][1] == "=" and self.tokens[i][0] == "operator":
            self.i = i + 1
            return ("assign", plain_name(names[0]), self.statement())
        return self.logic()

    def plugin(self) -> Tree:
        words, depth = [""], 1  # a datum may have brackets, as in string=X[1]
        while True:
            kind, word, _ = self.tokens[self.i]
            if kind == "end":
                raise self.fail("']'")
            self.i += 1
            depth += (word == "[") - (word == "]")
            if not depth:
                break
            if word == ",":
                words.append("")
            else:
                words[-1] += word
        return ("plugin", *words)

    def logic(self) -> Tree:
        tree = self.comparison()
        while word := self.take("&&", "||", "~|"):
            tree = (word, tree, self.comparison())
        return tree

    def comparison(self) -> Tree:
        tree = self.sum()
        while word := self.take("<", "<=", "==", "!=", ">=", ">"):
            tree = (word, tree, self.sum())
        return tree

    def sum(self) -> Tree:
        tree = self.product()
        while word := self.take("+", "-"):
            tree = (word, tree, self.product())
        return tree

    def product(self) -> Tree:
        tree = self.power()
        while word := self.take("*", "/", "%"):
            tree = (word, tree, self.power())
        return tree

    def power(self) -> Tree:
        base = self.sign()
        if self.take("^"):
            return ("^", base, self.deeper(self.power))
        return base

    def sign(self) -> Tree:
        if self.take("-"):
            return ("negative", self.deeper(self.sign))
        if self.take("+"):
            return self.deeper(self.sign)
        if self.take("!"):
            return ("!", self.deeper(self.sign))
        return self.primary()

    def deeper(self, rule: Any) -> Tree:
        self.depth += 1
        if self.depth > DEEPEST:
            raise ExpressionError("the expression is nested too deeply", self.tokens[self.i][2])
        tree: Tree = rule()
        self.depth -= 1
        return tree

    def primary(self) -> Tree:
        kind, word, _ = self.tokens[self.i]
        if self.take("("):
            tree = self.deeper(lambda: self.sequence(")"))
            self.expect(")")
            return tree
        if kind in ("end", "operator"):
            raise self.fail("a number, a name or '('")
        self.i += 1
        if kind == "real":
            return ("value", float(word))
        if kind == "integer":
            number = int(word) if len(word) < 20 else LARGEST + 1
            return ("value", float(word) if number > LARGEST else number)
        if kind == "string":
            return ("value", text_of(word))
        name = "".join(word.split())
        if self.take("("):
            return ("call", name, *self.deeper(self.call_arguments))
        return ("name", plain_name(name))

    def call_arguments(self) -> Tree:
        parts: list[Tree] = []
        if self.take(")"):
            return ()
        while True:
            parts.append(self.statement())
            if self.take(")"):
                return tuple(parts)
            self.expect(",")


@functools.lru_cache(maxsize=20_000)
def parse(text: str) -> Tree:
    """The tree of an expression."""
    return Parser(text).whole()
