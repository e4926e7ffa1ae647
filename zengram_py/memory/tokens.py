"""How many tokens a text is: an estimate that needs no tokenizer.

A byte-pair tokenizer of today gives about one token for each four bytes of UTF-8: 4.2 to 4.7 characters of English, one
ideograph and a third (three bytes each), two Cyrillic letters (where tokenizers now do better). Rounded up, so that a budget
is rather kept than overdrawn.
"""

from __future__ import annotations

BYTES_PER_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a model would count in a text; 0 only for the empty one."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return -(-size // BYTES_PER_TOKEN)
