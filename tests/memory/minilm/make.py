"""Make ``vectors.npz``: the sentences of ``sentences.json`` as all-MiniLM-L6-v2 (int8) sees them, in a page as in the demo.

    python3 build/bundle.py
    .venv/bin/python tests/memory/minilm/make.py

It opens Chromium on ``dist/`` and calls ``createMiniLM``; facts are embedded as ``"subject: content"``. Vectors are float32 arrays
of shape (number, 384), one row for each sentence in its order.
"""

import json
import sys
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
    np.savez_compressed(HERE / "vectors.npz", facts=vectors[: len(facts)], questions=vectors[len(facts) :])


if __name__ == "__main__":
    main()
