"""Tables as the documentation has them."""

from collections.abc import Iterator


def table(heads: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table, all but its first column aligned to the right, and a blank line."""
    yield f"| {' | '.join(heads)} |"
    yield "|---|" + "---:|" * (len(heads) - 1)
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""
