"""Compile the modules of a wheel for the Python that runs this: inside Pyodide, whose bytecode the page then loads.

A page would otherwise compile every module anew on each visit. Docstrings of functions and modules are left out of the bytecode, and of those of
classes all but the first line (dataclasses look whether there is one): nobody reads them in a tab, and the wheel gets smaller. Assertions stay.
"""

import ast
import base64
import hashlib
import importlib.util
import io
import marshal
import zipfile

_HEADER = importlib.util.MAGIC_NUMBER + bytes(12)
"""A loader of bytecode without source looks at the magic number alone."""


def compiled(wheel: bytes) -> bytes:
    """Return a wheel in which each module is bytecode."""
    out = io.BytesIO()
    record: list[str] = []
    with (
        zipfile.ZipFile(io.BytesIO(wheel)) as given,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made,
    ):
        record_name = next(name for name in given.namelist() if name.endswith(".dist-info/RECORD"))
        for name in sorted(given.namelist()):
            if name == record_name or name.endswith("/"):
                continue
            data = given.read(name)
            if name.endswith(".py") and ".dist-info/" not in name:
                data, name = bytecode(data, name), name + "c"
            _write(made, name, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
        record.append(f"{record_name},,")
        _write(made, record_name, ("\n".join(record) + "\n").encode())
    return out.getvalue()


def bytecode(source: bytes, name: str) -> bytes:
    """Return the bytecode file of a module."""
    tree = ast.parse(source, name)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            _shorten(node)
    code = compile(tree, name, "exec", dont_inherit=True)
    return _HEADER + marshal.dumps(code)


def _shorten(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Take a docstring away, or all but its first line."""
    first = node.body[0] if node.body else None
    if not isinstance(first, ast.Expr) or not isinstance(first.value, ast.Constant):
        return
    if not isinstance(first.value.value, str):
        return
    if isinstance(node, ast.ClassDef):
        first.value.value = first.value.value.split("\n", 1)[0]
    elif len(node.body) > 1:
        del node.body[0]
    else:
        first.value.value = ""


def _write(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the same bytes whenever it is built
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    archive.writestr(info, data)
