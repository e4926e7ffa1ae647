"""A small static file server with the MIME types that a browser insists on.

The demo, the end-to-end tests and the benchmarks use it. A deployed page needs nothing of it: any static server that
gives ``.mjs`` as JavaScript and ``.wasm`` as ``application/wasm`` will do, and should say ``Cache-Control`` as this one does.
"""

import errno
import os
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, BinaryIO

from console import Problem

HOST = "127.0.0.1"
_BUSY = (errno.EADDRINUSE, getattr(errno, "WSAEADDRINUSE", errno.EADDRINUSE))
_TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".mts": "text/plain",
    ".ts": "text/plain",
    ".wasm": "application/wasm",
    ".json": "application/json",
    ".css": "text/css",
    ".html": "text/html; charset=utf-8",
    ".svg": "image/svg+xml",
    ".whl": "application/zip",
    ".zip": "application/zip",
    ".onnx": "application/octet-stream",
}
#: What lies in a folder that is named after its content never changes.
_FOR_EVER = re.compile(r"/assets/[a-z0-9-]+-[0-9a-f]{16}/")


class Handler(SimpleHTTPRequestHandler):
    """Serve a folder under a path prefix, with extra headers; the browser revalidates what does not carry a hash in its name."""

    protocol_version = "HTTP/1.1"
    extensions_map = SimpleHTTPRequestHandler.extensions_map | _TYPES

    def __init__(self, *args: Any, prefix: str, headers: Mapping[str, str], **kwargs: Any) -> None:
        self._prefix = prefix
        self._headers = headers
        self._tag: str | None = None
        super().__init__(*args, **kwargs)

    def translate_path(self, path: str) -> str:
        """Return the file for a request path; what is outside the prefix does not exist."""
        if not path.startswith(self._prefix):
            return os.path.join(self.directory, "\0")
        return super().translate_path(path[len(self._prefix) - 1 :])

    def send_head(self) -> BinaryIO | None:
        """Answer 304 when the browser's copy (by its entity tag) is the file that is there."""
        self._tag = None
        path = self.translate_path(self.path)
        if "\0" in path:
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        file = Path(path, "index.html") if self.path.partition("?")[0].endswith("/") else Path(path)
        if file.is_file():
            facts = file.stat()
            self._tag = f'"{facts.st_mtime_ns:x}-{facts.st_size:x}"'
            if self.headers.get("If-None-Match") == self._tag:
                self.send_response(HTTPStatus.NOT_MODIFIED)
                self.end_headers()
                return None
        return super().send_head()

    def end_headers(self) -> None:
        """Add the headers that every answer carries."""
        for_ever = self._tag and _FOR_EVER.search(self.path.partition("?")[0])
        self.send_header("Cache-Control", "public, max-age=31536000, immutable" if for_ever else "no-cache")
        if self._tag:
            self.send_header("ETag", self._tag)
        for name, value in self._headers.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing: the terminal belongs to the script."""


class Server(ThreadingHTTPServer):
    """Listens on one port, which must be free."""

    daemon_threads = True
    # Elsewhere than on Windows this only shortens the wait after a restart; there it would share a busy port.
    allow_reuse_address = os.name != "nt"

    def handle_error(self, *_: object) -> None:
        """Ignore a browser that hangs up in the middle of an answer."""


def make_server(
    directory: Path,
    *,
    port: int = 0,
    prefix: str = "/",
    headers: Mapping[str, str] | None = None,
    handler: type[Handler] = Handler,
) -> Server:
    """Return a server that listens on `port` (0: any free one) and is not serving yet.

    Parameters
    ----------
    directory : Path
        What to serve.
    port : int, optional
        Where; only on this machine.
    prefix : str, optional
        The path under which the folder appears, with a slash at both ends.
    headers : mapping of str to str, optional
        Sent with every answer, for example a Content-Security-Policy.
    handler : type of Handler, optional
        What answers a request.

    Raises
    ------
    Problem
        If the port is taken or not allowed.
    """
    answer = partial(handler, directory=str(directory), prefix=prefix, headers=dict(headers or {}))
    try:
        return Server((HOST, port), answer)
    except OSError as error:
        reason = (
            "is in use by another program" if error.errno in _BUSY else f"cannot be used ({error.strerror})"
        )
        raise Problem(f"port {port} {reason}: choose another one with --port.") from error


@contextmanager
def serving(
    directory: Path,
    *,
    port: int = 0,
    prefix: str = "/",
    headers: Mapping[str, str] | None = None,
    handler: type[Handler] = Handler,
) -> Iterator[str]:
    """Serve a folder in the background; gives its address, with a slash at the end."""
    server = make_server(directory, port=port, prefix=prefix, headers=headers, handler=handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_port}{prefix}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
