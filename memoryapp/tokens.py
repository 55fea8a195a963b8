"""How long a text is for a model, roughly."""

from __future__ import annotations


def count(text: str) -> int:
    """An estimate of the tokens, on the safe side for most models: one for four bytes of
    UTF-8. English has about four letters a token; other scripts take more tokens a letter,
    and more bytes too. 0 for an empty text."""
    return -(-len(text.encode("utf-8", "replace")) // 4)
