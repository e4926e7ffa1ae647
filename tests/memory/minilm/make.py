"""Make ``vectors.json``: the sentences of ``sentences.json`` as all-MiniLM-L6-v2 (int8) sees them, in a page as in the demo.

    python3 build/bundle.py
    .venv/bin/python tests/memory/minilm/make.py

It opens Chromium on ``dist/`` and calls ``createMiniLM``; facts are embedded as ``"subject: content"``. The file has, for each
sentence in its order, 384 little-endian numbers of 16 bits as Base64.
"""

import json
import sys
from base64 import b64encode
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.path.insert(0, str(ROOT / "build"))

import chromium  # noqa: E402 (build/ is a folder of scripts)
from playwright.sync_api import sync_playwright  # noqa: E402
from static_server import serving  # noqa: E402

DIST = ROOT / "dist"
EMBED = """async ({url, texts}) => {
    const {createMiniLM} = await import(url);
    const embed = await createMiniLM();
    return (await embed(texts)).map((vector) => [...vector]);
}"""


def main() -> None:
    """Embed all sentences and write the file."""
    sentences = json.loads((HERE / "sentences.json").read_text())
    facts = [f"{fact['subject']}: {fact['content']}" for fact in sentences["facts"]]
    questions = [one["question"] for one in sentences["questions"]]
    with serving(DIST, prefix="/", headers={}) as url, sync_playwright() as playwright:
        launch = {"executable_path": chromium.prepare(), "args": list(chromium.LAUNCH_ARGS)}
        page = playwright.chromium.launch(**launch).new_page()
        page.goto(f"{url}build-info.json")
        asked = {"url": f"{url}embedders.js", "texts": [*facts, *questions]}
        vectors = np.array(page.evaluate(EMBED, asked), np.float32)
    lines = [b64encode(vector.astype("<f2").tobytes()).decode() for vector in vectors]
    made = {"facts": lines[: len(facts)], "questions": lines[len(facts) :]}
    (HERE / "vectors.json").write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
