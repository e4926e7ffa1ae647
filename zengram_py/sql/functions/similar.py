r"""``SIMILAR TO``: its patterns as regular expressions.

a%b_c           ^(?:a.*b.c)$
(a|b)\\%         ^(?:(?:a|b)\\%)$
a#"b%#"c        ^(?:a){1,1}?(b.*){1,1}(?:c)$     for ``substring(x similar … escape '#')``: the middle part is what is wanted
"""

from __future__ import annotations

from ..errors import error
from .registry import scalar


@scalar("similar_to_escape: text | text text")
def similar_expression(pattern: str, escape: str = "\\") -> str:
    """Return the regular expression of a pattern.

    Raises
    ------
    SqlError
        22025 for an escape of several characters, 2200C for more than two separators.
    """
    if len(escape) > 1:
        hint = "Escape string must be empty or one character."
        raise error("22025", "invalid escape string", hint=hint)
    out = ["^(?:"]
    is_escaped = False
    separators = 0
    brackets = 0  # how deep in a list of characters
    place = 0  # in it: 1 its beginning, 2 after a caret there, 3 and above further on
    for character in pattern:
        if is_escaped:
            is_escaped = False
            if character == '"' and not brackets:
                out.append(_separator(separators))
                separators += 1
            else:
                out.append("\\" + character)
                place = 3
        elif character == escape:
            is_escaped = True
        elif brackets:
            out.append("\\\\" if character == "\\" else character)
            if character == "]" and place > 2:
                brackets -= 1
            elif character == "[":
                brackets += 1
                place = 3
            elif character == "^":
                place += 1
            else:
                place = 3
        elif character == "[":
            out.append(character)
            brackets = place = 1
        else:
            out.append(_PLAIN.get(character, character))
    return "".join(out) + ")$"


_PLAIN = {"%": ".*", "_": ".", "(": "(?:", "\\": "\\\\", ".": "\\.", "^": "\\^", "$": "\\$"}


def _separator(before: int) -> str:
    if before == 0:
        return "){1,1}?("
    if before == 1:
        return "){1,1}(?:"
    message = "SQL regular expression may not contain more than two escape-double-quote separators"
    raise error("2200C", message)
