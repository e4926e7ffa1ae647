"""What SQL there is: the table in docs/sql.md, made by running every statement of sql_probes.txt in a page.

python3 e2e/sql_support.py            run them in headless Chromium on dist/ and write the table
e2e/test_sql_support.py               runs them too, and fails if the table says anything else
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PROBES = Path(__file__).parent / "sql_probes.txt"
DOCUMENT = ROOT / "docs" / "sql.md"
BEGIN, END = "<!-- support table: made by e2e/sql_support.py -->", "<!-- end of the support table -->"


@dataclass
class Probe:
    """One thing that the table speaks of.

    Attributes
    ----------
    what : str
        What it is called there.
    statements : list of str
        What is run; none for what is known not to be there.
    expected : str
        The rows of the last statement as JSON, ``"-"`` for any, ``"!…"`` for an SQLSTATE.
    reason : str
        Why it is not there.
    """

    what: str
    statements: list[str] = field(default_factory=list)
    expected: str = ""
    reason: str = ""


@dataclass
class Category:
    """A row of the table."""

    name: str
    setup: list[str] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)


def read_probes() -> list[Category]:
    """Return what sql_probes.txt holds."""
    found: list[Category] = []
    for line in PROBES.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("== "):
            found.append(Category(line[3:]))
        elif line.startswith("> "):
            found[-1].setup.append(line[2:])
        elif " ~~ " in line:
            what, _, reason = line.partition(" ~~ ")
            found[-1].probes.append(Probe(what, reason=reason))
        else:
            what, _, rest = line.partition(" :: ")
            statements, _, expected = rest.rpartition(" => ")
            found[-1].probes.append(Probe(what, split(statements), expected))
    return found


def split(text: str) -> list[str]:
    """Return statements with "; " between them; what stands between two ``$$`` is left whole."""
    parts, inside = [""], False
    for piece in text.replace("$$", "\0$$\0").split("\0"):
        if piece == "$$":
            inside = not inside
            parts[-1] += piece
        elif inside:
            parts[-1] += piece
        else:
            first, *rest = piece.split("; ")
            parts[-1] += first
            parts += rest
    return parts


#: Runs the statements of all categories; gives for each probe the rows of its last statement, or the error.
RUN = """
async ([url, categories]) => {
  const { default: init, ZetaDb } = await import(url);
  await init();
  const toy = (text) => { const v = new Float32Array(64); for (const c of text) v[c.charCodeAt(0) % 64] += 1; return v; };
  return categories.map(({ setup, probes }) => {
    const db = ZetaDb.open();
    db.setEmbedFn(toy, 64);
    const answers = [];
    try {
      for (const sql of setup) db.query(sql);
    } catch (error) {
      answers.push({ error: error.sqlstate ?? error.code, message: `before the probes: ${error.message}` });
    }
    for (const { statements } of probes) {
      try {
        let result;
        for (const sql of statements) result = db.query(sql);
        answers.push({ rows: result === undefined ? null : result.rows.map((row) => result.columns.map((name) => row[name])) });
      } catch (error) {
        answers.push({ error: error.sqlstate ?? error.code, message: error.message });
        try { db.query("rollback"); } catch { /* there was no transaction */ }
      }
    }
    db.free();
    return answers;
  });
}
"""


def run(page: Any, url: str, categories: list[Category]) -> list[list[str]]:
    """Return for each probe of each category why it does not work; an empty text if it does."""
    sent = [
        {"setup": c.setup, "probes": [{"statements": p.statements} for p in c.probes]} for c in categories
    ]
    answers = page.evaluate(RUN, [f"{url}zengram.js", sent])
    return [
        [
            judge(probe, answer)
            for probe, answer in zip(category.probes, found[-len(category.probes) :], strict=True)
        ]
        for category, found in zip(categories, answers, strict=True)
    ]


def judge(probe: Probe, answer: dict[str, Any]) -> str:
    """Return why a probe does not work; an empty text if it does."""
    if probe.reason:
        return probe.reason
    error = answer.get("error")
    if error is not None:
        return "" if probe.expected == f"!{error}" else f"{error}: {answer['message']}"
    if probe.expected == "-":
        return ""
    rows = json.dumps(answer["rows"], separators=(",", ":"), ensure_ascii=False)
    wanted = "" if probe.expected.startswith("!") else json.loads(probe.expected)
    return "" if json.loads(rows) == wanted else f"gives {rows}"


def table(categories: list[Category], found: list[list[str]]) -> str:
    """Return the table as Markdown."""
    lines = ["| | works | does not |", "|---|---|---|"]
    for category, reasons in zip(categories, found, strict=True):
        pairs = list(zip(category.probes, reasons, strict=True))
        works = "; ".join(_cell(p.what) for p, reason in pairs if not reason)
        lacks = "; ".join(f"{_cell(p.what)} ({_cell(reason)})" for p, reason in pairs if reason)
        lines.append(f"| **{category.name}** | {works} | {lacks} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def documented() -> str:
    """Return the table as docs/sql.md has it."""
    text = DOCUMENT.read_text()
    return text[text.index(BEGIN) + len(BEGIN) : text.index(END)].strip()


def write(made: str) -> None:
    """Put a table into docs/sql.md."""
    text = DOCUMENT.read_text()
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    DOCUMENT.write_text(f"{text[:start]}\n\n{made}\n\n{text[end:]}")


def main() -> int:
    """Run the probes in a page and write the table."""
    sys.path.insert(0, str(ROOT / "build"))
    import chromium
    from layout import DIST
    from playwright.sync_api import sync_playwright
    from static_server import serving

    categories = read_probes()
    with serving(DIST) as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium.prepare(), args=list(chromium.LAUNCH_ARGS), headless=True
        )
        page = browser.new_page()
        page.goto(f"{base}build-info.json")
        found = run(page, base, categories)
        browser.close()
    write(table(categories, found))
    for category, reasons in zip(categories, found, strict=True):
        for probe, reason in zip(category.probes, reasons, strict=True):
            if reason and not probe.reason:
                print(f"{category.name}: {probe.what}: {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
