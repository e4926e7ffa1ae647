"""Texts cut at a separator: ``string_to_array`` and ``string_to_table``.

No separator (null) cuts between all characters, an empty one nowhere, and an empty text has no parts.
"""

from __future__ import annotations

from .registry import nullable, rows


@nullable("string_to_array: text text | text text text")
def parts_of(
    text: str | None, separator: str | None, null: str | None = None
) -> tuple[str | None, ...] | None:
    """Return the parts of a text; those that are equal to ``null`` are null."""
    if text is None:
        return None
    if not text:
        return ()
    parts = text.split(separator) if separator else [text]
    if separator is None:
        parts = list(text)
    return tuple(parts) if null is None else tuple([None if part == null else part for part in parts])


@rows("string_to_table: text text | text text text")
def _rows_of(text: str | None, separator: str | None, null: str | None = None) -> tuple[str | None, ...]:
    return parts_of(text, separator, null) or ()
