"""Where things are: the checkout, what the scripts make in it, and the user's cache folder."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
DIST = ROOT / "dist"
VENV = ROOT / ".venv"
NODE_MODULES = WEB / "node_modules"
REQUIREMENTS = ROOT / "requirements"


def cache_dir() -> Path:
    """Return the folder that keeps downloads, shared by all checkouts; ``ZENGRAM_CACHE`` overrides it."""
    chosen = os.environ.get("ZENGRAM_CACHE")
    if chosen:
        path = Path(chosen).expanduser().resolve()
    elif sys.platform == "win32":
        path = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "zengram" / "Cache"
    elif sys.platform == "darwin":
        path = Path.home() / "Library" / "Caches" / "zengram"
    else:
        path = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "zengram"
    path.mkdir(parents=True, exist_ok=True)
    return path


def tool_environment() -> dict[str, str]:
    """Return the environment for pip, npm and Playwright: the caller's, with their caches inside ours."""
    cache = cache_dir()
    return os.environ | {
        "PIP_CACHE_DIR": str(cache / "pip"),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
        "npm_config_cache": str(cache / "npm"),
        "npm_config_update_notifier": "false",
        "PLAYWRIGHT_BROWSERS_PATH": str(cache / "browsers"),
        "PYTHONUNBUFFERED": "1",
        "ZENGRAM_CACHE": str(cache),
    }
