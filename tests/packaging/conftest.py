"""The wheel is tested as users get it: built, installed elsewhere, and run outside the checkout."""

import subprocess
import sys

import pytest
from packaging_support import ROOT, Built

# The scripts of build/ are under test too, and their parts serve these tests.
sys.path.insert(0, str(ROOT / "build"))


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build from the root, where a folder named build lies in the way of a careless `-m build`."""
    folder = tmp_path_factory.mktemp("built")
    argv = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), "."]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return Built(folder)
