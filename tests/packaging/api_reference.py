"""Three lists of what is public: what docs/api.md says there is, what the Python classes have, and what zengram.d.ts declares.

docs/api.md is read by three rules:

- ``## Name`` begins a class, ``## Functions`` what belongs to none. In the tables below, the first cell of a row has the Python signature, the
  second the JavaScript one; a dash stands for none. What is no call (a property) is a name alone.
- ``### Name`` under ``## Types`` begins a type; of one that the two languages call differently both names, Python's first:
  ``### FactOptions | RememberOptions``. ``(Python)`` or ``(JavaScript)`` behind a name says that only that language has it. In the tables below
  it the first cell of a row names fields, as Python writes them unless only JavaScript has the type. ``(Python)`` or ``(JavaScript)``
  behind them says the same of fields.
- The tables under ``## Errors`` and ``## Values`` have a name in the first cell of each row.

A signature is written as :func:`python_signature` and :func:`declared_signature` write it.
"""

from __future__ import annotations

import inspect
import json
import re
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

PYTHON, JAVASCRIPT = "Python", "JavaScript"
FUNCTIONS = "Functions"


def camel(name: str) -> str:
    """Return a Python name as JavaScript has it."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def name_of(signature: str) -> str:
    """Return the name of the call in a signature, without the class before it."""
    return signature.partition("(")[0].rpartition(".")[2]


@dataclass
class Surface:
    """What is public in one language, by name.

    Attributes
    ----------
    calls : dict of str to list of str
        Signatures by class.
    types : dict of str to list of str
        Fields by type.
    errors, values : list of str
        Names of errors, and of types that are only names for values.
    """

    calls: dict[str, list[str]] = field(default_factory=dict)
    types: dict[str, list[str]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)


# -- the page ------------------------------------------------------------------------------------------------------------


@dataclass
class Page:
    """What docs/api.md says.

    Attributes
    ----------
    surfaces : dict of str to Surface
        By language.
    rows : list of tuple
        Class, Python signature and JavaScript signature of each row that has both.
    error_rows : dict of str to str
        The whole row of each error.
    """

    surfaces: dict[str, Surface]
    rows: list[tuple[str, str, str]]
    error_rows: dict[str, str]


_ONLY = re.compile(r"\((Python|JavaScript)\)\s*$")
_CODE = re.compile(r"`([^`]+)`")


def read_page(text: str) -> Page:
    """Return what the text of docs/api.md says."""
    page = Page({PYTHON: Surface(), JAVASCRIPT: Surface()}, [], {})
    section = ""
    owners: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith("## "):
            section, owners = line[3:].strip(), {}
        elif line.startswith("### ") and section == "Types":
            owners = _owners(line[4:].strip())
            for language, name in owners.items():
                page.surfaces[language].types[name] = []
        elif line.startswith("|"):
            cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
            if _CODE.search(" ".join(cells[:2])):
                _read_row(page, section, owners, cells)
    return page


def _owners(title: str) -> dict[str, str]:
    """Return the names of a type by language."""
    only = _ONLY.search(title)
    if only:
        return {only[1]: title[: only.start()].strip()}
    python, _, javascript = title.partition(" | ")
    return {PYTHON: python, JAVASCRIPT: javascript or python}


def _read_row(page: Page, section: str, owners: dict[str, str], cells: list[str]) -> None:
    if section in ("Errors", "Values"):
        for language in _ONLY.findall(cells[0]) or (PYTHON, JAVASCRIPT):
            surface = page.surfaces[language]
            (surface.errors if section == "Errors" else surface.values).extend(_CODE.findall(cells[0]))
        if section == "Errors":
            page.error_rows.update(dict.fromkeys(_CODE.findall(cells[0]), " | ".join(cells)))
        page.error_rows.update(dict.fromkeys(_CODE.findall(cells[0]), " | ".join(cells)))
    elif owners:
        only = _ONLY.search(cells[0])
        for language, owner in owners.items():
            if only is None or only[1] == language:
                is_camel = language == JAVASCRIPT and len(owners) == 2
                names = _CODE.findall(cells[0])
                page.surfaces[language].types[owner] += map(camel, names) if is_camel else names
    elif section != "Types":
        found = [_CODE.findall(cell) for cell in cells[:2]]
        for language, signatures in zip((PYTHON, JAVASCRIPT), found, strict=True):
            page.surfaces[language].calls.setdefault(section, []).extend(signatures)
        if all(len(signatures) == 1 for signatures in found):
            page.rows.append((section, found[0][0], found[1][0]))


# -- Python --------------------------------------------------------------------------------------------------------------


def python_surface(classes: list[type], errors: Any, home: tuple[str, ...]) -> Surface:
    """Return what some classes have, what they give and take of the types that some modules define, and the errors of a module."""
    surface = Surface()
    for one in classes:
        members = {name: member for name, member in inspect.getmembers_static(one) if name[0] != "_"}
        surface.calls[one.__name__] = [_python_member(one, name, member) for name, member in members.items()]
        for member in members.values():
            if not isinstance(member, property):
                _take_types(getattr(member, "__func__", member), surface, home)
    surface.errors = [
        name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, Exception)
    ]
    return surface


def _python_member(owner: type, name: str, member: Any) -> str:
    if isinstance(member, property):
        return name
    if isinstance(member, classmethod):
        return python_signature(f"{owner.__name__}.{name}", member.__func__)
    return python_signature(name, member)


def python_signature(name: str, method: Callable[..., Any]) -> str:
    """Return a call as the page has it: ``create_session(project_id, *, title="", agent=None)``.

    What ``**options`` takes is named when it is a type: ``recall(query, scope, **options: RecallOptions)``.
    """
    shown: list[str] = []
    for one in list(inspect.signature(method).parameters.values())[1:]:
        if one.kind is one.KEYWORD_ONLY and "*" not in shown:
            shown.append("*")
        if one.kind is one.VAR_KEYWORD:
            options = re.fullmatch(r"Unpack\[(\w+)\]", str(one.annotation))
            shown.append(f"**{one.name}" + (f": {options[1]}" if options else ""))
        elif one.default is one.empty:
            shown.append(one.name)
        else:
            default = json.dumps(one.default) if isinstance(one.default, str) else repr(one.default)
            shown.append(f"{one.name}={default}")
    return f"{name}({', '.join(shown)})"


def _take_types(method: Callable[..., Any], surface: Surface, home: tuple[str, ...]) -> None:
    """Note the dataclasses that a method gives, and the dictionaries of options that it takes."""
    names = _annotations_of(method)
    waiting = [names.get("return"), names.get("options")]
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, type) and kind.__name__ not in surface.types and kind.__module__.startswith(home):
            if is_dataclass(kind):
                hints = typing.get_type_hints(kind)
                derived = [n for n, m in vars(kind).items() if n[0] != "_" and hasattr(m, "attrname")]
                surface.types[kind.__name__] = [one.name for one in fields(kind)] + derived
                waiting += hints.values()
            elif typing.is_typeddict(kind):
                surface.types[kind.__name__] = list(kind.__annotations__)
        waiting += typing.get_args(kind)


def _annotations_of(method: Callable[..., Any]) -> dict[str, Any]:
    """Return the types in a signature; those that are only imported for a type checker are left out."""
    known = {**vars(typing), **getattr(inspect.unwrap(method), "__globals__", {})}
    found = {}
    for name, text in inspect.unwrap(method).__annotations__.items():
        try:
            found[name] = eval(text, known) if isinstance(text, str) else text
        except NameError:
            continue
    return found


# -- JavaScript ----------------------------------------------------------------------------------------------------------

_COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_DECLARED = re.compile(r"^export (?:declare )?(class|interface|type|function) (\w+)([^{=(;]*)", re.M)


def declared_surface(path: Path) -> Surface:
    """Return what a file of declarations exports, with what it exports of other ones."""
    surface = Surface()
    parents: dict[str, list[str]] = {}
    for name, kind, extends, body in _declarations(path):
        if kind == "type":
            surface.values.append(name)
        elif kind == "function":
            surface.calls.setdefault(FUNCTIONS, []).append(body)
        elif kind == "class" and name.endswith("Error"):
            surface.errors.append(name)
        else:
            members = _members(body)
            called = any("(" in member for member in members)
            where = surface.calls if kind == "class" or called else surface.types
            where[name] = members
            parents[name] = extends
    own = dict(surface.types)

    def with_inherited(name: str) -> list[str]:
        inherited: list[str] = []
        for parent in parents[name]:
            picked = re.fullmatch(r"Pick<\w+, (.*)>", parent)
            inherited += re.findall(r'"(\w+)"', picked[1]) if picked else with_inherited(parent)
        return [*own[name], *inherited]

    surface.types = {name: with_inherited(name) for name in own}
    interfaces = set(own)
    for name, signatures in surface.calls.items():
        surface.calls[name] = [declared_signature(one, name, interfaces) for one in signatures]
    return surface


def _declarations(path: Path) -> Iterator[tuple[str, str, list[str], str]]:
    """Yield name, kind, what it extends, and text of all that a file exports."""
    text = _COMMENTS.sub("", path.read_text(encoding="utf-8"))
    for other in re.findall(r'^export (?:type )?\* from "\./([\w.-]+)\.js";', text, re.M):
        yield from _declarations(path.with_name(f"{other}.d.ts"))
    for match in _DECLARED.finditer(text):
        kind, name, clause = match[1], match[2], match[3]
        extends = re.search(r"extends\s+(.*)", clause, re.S)
        parents = [" ".join(one.split()) for one in split(extends[1], ",")] if extends else []
        if kind == "function":
            yield name, kind, [], name + _until_semicolon(text[match.end() :])
        else:
            begin = text.find("{", match.end()) if kind != "type" else -1
            yield name, kind, parents, text[begin + 1 : _closing(text, begin)] if begin >= 0 else ""


def _closing(text: str, at: int) -> int:
    """Return where the bracket at a place is closed."""
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] in "{([") - (text[place] in "})]")
        if depth == 0:
            return place
    raise AssertionError(f"a bracket is never closed: {text[at : at + 60]!r}")


def _until_semicolon(text: str) -> str:
    return split(text, ";")[0]


def split(text: str, separator: str) -> list[str]:
    """Return the parts of a text between separators that are in no brackets (the ``>`` of an arrow closes none)."""
    parts, depth, begin = [], 0, 0
    for place, sign in enumerate(text):
        if sign in "{([<":
            depth += 1
        elif sign in "})]" or (sign == ">" and text[place - 1] != "="):
            depth -= 1
        elif sign == separator and depth == 0:
            parts.append(text[begin:place].strip())
            begin = place + 1
    return [part for part in (*parts, text[begin:].strip()) if part]


def _members(body: str) -> list[str]:
    """Return the members of a class or interface: calls with their arguments, of others the name."""
    found = []
    for member in split(body, ";"):
        text = " ".join(member.split())
        if re.match(r"private |protected ", text):
            continue
        text = re.sub(r"^(readonly|public) ", "", text)
        field_name = re.match(r"(\w+)\??:", text)
        found.append(field_name[1] if field_name else text)
    return found


def declared_signature(member: str, owner: str, interfaces: set[str]) -> str:
    """Return a call as the page has it: ``forkSession(sessionId, turnId, options?: {name?})``.

    A type is only shown where it is one of the page, or an object whose fields are written there.
    """
    if "(" not in member:
        return member
    is_static = member.startswith("static ")
    member = member.removeprefix("static ")
    begin = member.index("(")
    name = re.sub(r"<.*>$", "", member[:begin])
    shown = [_argument(one, interfaces) for one in split(member[begin + 1 : _closing(member, begin)], ",")]
    return f"{f'{owner}.' if is_static else ''}{name}({', '.join(shown)})"


def _argument(text: str, interfaces: set[str]) -> str:
    name, _, kind = (part.strip() for part in text.partition(":"))
    kind = kind.replace("readonly ", "")
    if kind.startswith("{"):
        return f"{name}: {{{', '.join(one.partition(':')[0].strip() for one in split(kind[1:-1], ';'))}}}"
    return f"{name}: {kind}" if set(re.findall(r"\w+", kind)) & interfaces else name
