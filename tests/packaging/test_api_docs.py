"""docs/api.md has every public call and type of both languages, as the code has it, and nothing else.

A new call needs a row there and nothing here: what there is, is read from the classes and from web/src/zengram.d.ts (api_reference.py says how
the page is read). A new class needs its name in ``CLASSES``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from api_reference import (
    FUNCTIONS,
    JAVASCRIPT,
    PYTHON,
    Page,
    Surface,
    camel,
    declared_surface,
    name_of,
    python_surface,
    read_page,
)
from packaging_support import ROOT

from zengram_py import errors
from zengram_py.memory import ZengramMemory
from zengram_py.sql.zeta import ZetaCursor, ZetaDb, ZetaTxn

PAGE = ROOT / "docs" / "api.md"
CLASSES: list[type] = [ZengramMemory, ZetaDb, ZetaTxn, ZetaCursor]
HOME = ("zengram_py.memory", "zengram_py.sql.zeta", "zengram_py.engine.usage")
LANGUAGES = (PYTHON, JAVASCRIPT)
#: Calls with another name in JavaScript.
RENAMED = {"close": "free"}
#: Raised by the engine's own face, which the page does not cover: they have no rows of their own.
BELOW = {"LogError", "StoreError", "StoreLockedError"}


@cache
def page() -> Page:
    return read_page(PAGE.read_text(encoding="utf-8"))


@cache
def code(language: str) -> Surface:
    if language == PYTHON:
        surface = python_surface(CLASSES, errors, HOME)
        surface.errors = [name for name in surface.errors if name not in BELOW]
        return surface
    return declared_surface(ROOT / "web" / "src" / "zengram.d.ts")


def differences(where: str, documented: list[str], there: list[str]) -> list[str]:
    """Return in words what a list in the page lacks, has too much, or says otherwise than the code."""
    missing = [one for one in there if one not in documented]
    extra = [one for one in documented if one not in there]
    found = [
        f"{where}: {one!r} is there twice" for one in dict.fromkeys(documented) if documented.count(one) > 1
    ]
    for one in missing:
        other = next((other for other in extra if name_of(other) == name_of(one)), None)
        if other is None:
            found.append(f"{where}: {one!r} is missing")
        else:
            extra.remove(other)
            found.append(f"{where}: says {other!r}, and the code has {one!r}")
    return found + [f"{where}: {one!r} is not in the code" for one in extra]


def compare(kind: str, documented: dict[str, list[str]], there: dict[str, list[str]]) -> list[str]:
    """Return the differences between lists by name, such as the calls of each class."""
    found = [f"{kind} {name}: is missing" for name in there if name not in documented]
    found += [
        f"{kind} {name}: is not in the code" for name in documented if name not in there and documented[name]
    ]
    for name in there:
        if name in documented:
            found += differences(f"{kind} {name}", documented[name], there[name])
    return found


def fail_on(language: str, found: list[str]) -> None:
    if found:
        pytest.fail(f"docs/api.md and the code differ ({language}):\n" + "\n".join(found), pytrace=False)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_call_is_there_as_it_is(language: str) -> None:
    fail_on(language, compare("class", page().surfaces[language].calls, code(language).calls))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_type_is_there_with_its_fields(language: str) -> None:
    fail_on(language, compare("type", page().surfaces[language].types, code(language).types))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_error_is_there(language: str) -> None:
    fail_on(language, differences("Errors", page().surfaces[language].errors, code(language).errors))


def test_every_name_for_values_is_there() -> None:
    documented, there = page().surfaces[JAVASCRIPT].values, code(JAVASCRIPT).values
    fail_on(JAVASCRIPT, differences("Values", documented, there))


def test_errors_have_their_codes() -> None:
    wrong = [
        f"Errors: the row of {name} does not name its code {code_of}"
        for name in code(PYTHON).errors
        if (code_of := getattr(errors, name).code) not in page().error_rows.get(name, code_of)
    ]
    fail_on(PYTHON, wrong)


def test_a_row_has_one_call_in_both_languages() -> None:
    wrong = [
        f"class {owner}: {python!r} and {javascript!r} are in one row"
        for owner, python, javascript in page().rows
        if name_of(javascript) not in (camel(name_of(python)), RENAMED.get(name_of(python)))
    ]
    fail_on("both", wrong)


# -- the comparison itself -----------------------------------------------------------------------------------------------

DECLARATIONS = """
export type * from "./records.js";
/** A note; with } and ( in its comment. */
export interface Note { id: string; readonly body: string | null; }
export type Kind = "a" | "b";
export declare class Book implements Shelf {
  private constructor();
  static open(size: number): Book;
  add<T>(note: Note, work: (text: string) => T, options?: { tag?: string; at?: number }): Note[];
  list(
    tags: readonly string[],
    limit?: number,
  ): Note[];
  readonly name: string;
  [Symbol.dispose](): void;
}
export declare class BookError extends Error { code: string; }
export declare function shut(options?: Partial<More>): void;
"""
RECORDS = """
export interface More extends Note { more: number; }
export interface Less extends Pick<Note, "id"> { less?: boolean; }
"""
WRITTEN = """
## Functions

| Python | JavaScript | |
|---|---|---|
| - | `shut(options?: Partial<More>)` | |

## Book

| Python | JavaScript | |
|---|---|---|
| `Book.open(size)` | `Book.open(size)` | see `shut(x)` |
| `add(note, *, tag=None)` | `add(note: Note, work, options?: {tag?, at?})` | |
| - | `list(tags, limit?)`, `name` | |
| - | `[Symbol.dispose]()` | |

## Types

### Note

| field | |
|---|---|
| `id`, `body` | |
| `time_made` (Python) | |

### More (JavaScript)

| `more`, `id`, `body` | |

### LessOptions | Less

| `less`, `id` | |

## Errors

| `BookError` (JavaScript) | `BOOK` |

## Values

| `Kind` (JavaScript) | |
"""


def test_declarations_and_page_are_read_alike(tmp_path: Path) -> None:
    (tmp_path / "zengram.d.ts").write_text(DECLARATIONS)
    (tmp_path / "records.d.ts").write_text(RECORDS)
    declared = declared_surface(tmp_path / "zengram.d.ts")
    assert declared.calls["Book"][1] == "add(note: Note, work, options?: {tag?, at?})"
    written = read_page(WRITTEN).surfaces
    assert not compare("class", written[JAVASCRIPT].calls, declared.calls)
    assert not compare("type", written[JAVASCRIPT].types, declared.types)
    assert (written[JAVASCRIPT].errors, written[JAVASCRIPT].values) == (declared.errors, declared.values)
    assert written[PYTHON].types == {"Note": ["id", "body", "time_made"], "LessOptions": ["less", "id"]}
    assert written[PYTHON].calls == {FUNCTIONS: [], "Book": ["Book.open(size)", "add(note, *, tag=None)"]}


def test_what_differs_is_named() -> None:
    documented = {"Book": ["add(note)", "old()", "old()"], "Gone": ["x()"]}
    there = {"Book": ["add(note, at)", "list()"], "New": ["y()"]}
    assert compare("class", documented, there) == [
        "class New: is missing",
        "class Gone: is not in the code",
        "class Book: 'old()' is there twice",
        "class Book: says 'add(note)', and the code has 'add(note, at)'",
        "class Book: 'list()' is missing",
        "class Book: 'old()' is not in the code",
        "class Book: 'old()' is not in the code",
    ]
