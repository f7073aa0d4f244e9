"""The mechanism in a browser: shapes, what moves where, the live page, the offline file."""
