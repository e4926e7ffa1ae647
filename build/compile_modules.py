"""Compile the modules of archives for the Python that runs this: inside Pyodide, whose bytecode the page then loads.

A page would otherwise compile every module anew on each visit. Docstrings of functions and modules are left out of the bytecode, and of those of
classes all but the first line (dataclasses look whether there is one): nobody reads them in a tab, and the files get smaller. Assertions stay.
Code that is not ours may work on its docstrings, so there an empty one stays in their place, and all of them where they are read.

The members are stored, not deflated: the server's brotli then works on all of an archive at once, and unpacking is a copy.
"""

import ast
import base64
import hashlib
import importlib.util
import io
import marshal
import re
import zipfile

_HEADER = importlib.util.MAGIC_NUMBER + bytes(12)
"""A loader of bytecode without source looks at the magic number alone."""


def compiled(archive: bytes, *, drop: str = "$^", keep_empty: bool = False, keep_docs: str = "$^") -> bytes:
    """Return an archive in which each module is bytecode.

    Parameters
    ----------
    archive : bytes
        A wheel, or another zip file of modules.
    drop : str, optional
        A regular expression: members whose name it finds are left out.
    keep_empty : bool, optional
        Whether a docstring that is taken away leaves an empty one.
    keep_docs : str, optional
        A regular expression: modules whose name it finds keep their docstrings.
    """
    out = io.BytesIO()
    record: list[str] = []
    with zipfile.ZipFile(io.BytesIO(archive)) as given, zipfile.ZipFile(out, "w") as made:
        names = given.namelist()
        record_name = next((name for name in names if name.endswith(".dist-info/RECORD")), None)
        for name in sorted(names):
            if name == record_name or name.endswith("/") or re.search(drop, name):
                continue
            data = given.read(name)
            if name.endswith(".py") and ".dist-info/" not in name:
                whole = bool(re.search(keep_docs, name))
                data, name = bytecode(data, name, keep_empty, whole), name + "c"
            _write(made, name, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
        if record_name:
            record.append(f"{record_name},,")
            _write(made, record_name, ("\n".join(record) + "\n").encode())
    return out.getvalue()


def bytecode(source: bytes, name: str, keep_empty: bool = False, keep_docs: bool = False) -> bytes:
    """Return the bytecode file of a module."""
    tree = ast.parse(source, name)
    for node in () if keep_docs else ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            _shorten(node, keep_empty)
    code = compile(tree, name, "exec", dont_inherit=True)
    return _HEADER + marshal.dumps(code)


def _shorten(
    node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, keep_empty: bool
) -> None:
    """Take a docstring away, or all but its first line."""
    first = node.body[0] if node.body else None
    if not isinstance(first, ast.Expr) or not isinstance(first.value, ast.Constant):
        return
    if not isinstance(first.value.value, str):
        return
    if isinstance(node, ast.ClassDef):
        first.value.value = first.value.value.split("\n", 1)[0]
    elif len(node.body) > 1 and not keep_empty:
        del node.body[0]
    else:
        first.value.value = ""


def _write(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the same bytes whenever it is built
    info.compress_type = zipfile.ZIP_STORED
    info.external_attr = 0o644 << 16
    archive.writestr(info, data)
