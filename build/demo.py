"""Set everything up, build dist/ and serve it on this machine.

    python3 build/demo.py [--port 8123]

Needs Python 3.11, Node 20 with npm, and (the first time) a network.
"""

import _python_check  # noqa: F401 (comes first: refuses an old Python)

# isort: split
import argparse

import bundle
from console import plain_endings
from layout import DIST
from static_server import HOST, make_server


def main() -> None:
    parser = argparse.ArgumentParser(description="Build Zengram and serve its demo on this machine.")
    parser.add_argument("--port", type=int, default=8123, help="where to serve (default: %(default)s)")
    port = parser.parse_args().port
    if not 0 <= port <= 65535:
        parser.error("--port has to be between 0 and 65535")
    # A busy port is said before the long part, not after it.
    make_server(DIST, port=port).server_close()
    server = make_server(bundle.prepare_dist(), port=port)
    print(f"The demo is at http://{HOST}:{server.server_port}/ (Ctrl-C ends it)", flush=True)
    try:
        server.serve_forever()
    finally:
        server.server_close()


if __name__ == "__main__":
    with plain_endings("demo"):
        main()
