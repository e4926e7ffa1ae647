"""How fast and how good retrieval is in a page, ours beside the libraries that people would take instead.

    python3 bench/retrieval/run.py [--sizes 1000,10000,50000] [--only vectors,text,hybrid,stack,maintenance]
                                   [--peers hnswlib,minisearch,…] [--data FOLDER] [--text FILE.jsonl] [--json]

One page (page.html) in headless Chromium, opened once for each subject and case, on the same files (data.py). The peers come
from npm by a lock file in this folder, apart from the project's own. Whoever does not finish in time, or fails, is named below
the table with the reason. The last table compares with the targets (targets.py), from the figures of this run. The tables are
Markdown: docs/performance.md holds a copy.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

BENCH = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(BENCH), str(BENCH.parent), str(BENCH.parent / "build")]

import in_page  # noqa: E402

CASES = ("vectors", "text", "hybrid", "stack", "maintenance")
Result = dict[str, Any]


def parse() -> argparse.Namespace:
    import subjects

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [subject.name for subject in subjects.SUBJECTS]
    parser.add_argument("--sizes", default="1000,10000,50000", help="numbers of vectors")
    parser.add_argument("--only", default=",".join(CASES), help="cases")
    parser.add_argument("--peers", default=",".join(names), help="whom to measure: " + ", ".join(names))
    parser.add_argument("--data", type=Path, help="a folder with minilm.npz, see bench/quality.py")
    parser.add_argument("--text", type=Path, help="lines with title and text instead of package descriptions")
    parser.add_argument("--limit", type=float, default=240, help="seconds that a subject may take for a case")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON instead")
    options = parser.parse_args()
    for given, known in ((options.only, CASES), (options.peers, names)):
        if unknown := set(given.split(",")) - set(known):
            parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return options


def measure(options: argparse.Namespace, folder: Path) -> Result:
    """Return all figures: ``{"sets": [{case, title, count, rows: {subject: figures}}], …}``."""
    import browser
    import data
    import static_server
    import subjects
    from layout import DIST

    only, chosen = options.only.split(","), options.peers.split(",")
    sizes = [int(size) for size in options.sizes.split(",")]
    sets: list[tuple[str, data.Prepared]] = []
    if "vectors" in only:
        sets += [("vectors", data.synthetic(folder, size)) for size in sizes]
        if options.data is not None:
            sets.append(("vectors", data.embedded(folder, options.data)))
    if {"text", "hybrid", "stack"} & set(only):
        written = data.texts(folder, options.text)
        sets += [(case, written) for case in ("text", "hybrid", "stack") if case in only]
    if "maintenance" in only:
        sets.append(("maintenance", data.synthetic(folder, max(sizes))))
    in_page.FOLDERS["/data/"] = folder
    out: Result = {"sets": [], "load": [os.getloadavg()[0]] if hasattr(os, "getloadavg") else []}
    failed: dict[tuple[str, str], int] = {}
    with (
        static_server.serving(DIST, headers=in_page.HEADERS, handler=in_page.Handler) as base,
        browser.visiting(base) as visits,
    ):
        for case, prepared in sets:
            rows: dict[str, Result] = {}
            for subject in subjects.SUBJECTS:
                if subject.name not in chosen or case not in subject.cases:
                    continue
                smaller = failed.get((case, subject.name))
                if smaller is not None and smaller < prepared.count:
                    rows[subject.name] = {"error": f"not tried: failed with {smaller:,}"}
                    continue
                start = time.monotonic()
                answer = visits.visit(case, subject.name, prepared.name, options.limit)
                found = answer.get("ok") or {"error": answer["error"]}
                if "error" in found:
                    failed.setdefault((case, subject.name), prepared.count)
                rows[subject.name] = judged(found, prepared.truth)
                seconds = time.monotonic() - start
                print(
                    f"{case} {prepared.title}: {subject.name} {found.get('error', 'done')}, {seconds:.0f} s",
                    file=sys.stderr,
                )
            out["sets"].append({"case": case, "title": prepared.title, "count": prepared.count, "rows": rows})
        out["place"] = visits.place
    if out["load"]:
        out["load"].append(os.getloadavg()[0])
    return out | {"versions": subjects.versions()}


def judged(found: Result, truth: list[list[int]]) -> Result:
    """Put a share of right answers in the place of the answers: of the ten nearest, or of the one document."""
    if "ways" in found:
        return found | {"ways": {way: judged(each, truth) for way, each in found["ways"].items()}}
    if "found" not in found:
        return found
    found = dict(found)
    answers = found.pop("found")
    pairs = [(list(map(int, answer)), right) for answer, right in zip(answers, truth, strict=True)]
    found["recall"] = sum(len(set(a[:10]) & set(right)) / len(right) for a, right in pairs) / len(pairs)
    found["hit1"] = sum(a[:1] == right[:1] for a, right in pairs) / len(pairs)
    if "quicker" in found:
        found["quicker"] = judged(found["quicker"], truth)
    return found


def main() -> int:
    in_page.prepare(page=True)
    import subjects

    options = parse()
    subjects.prepare()
    with tempfile.TemporaryDirectory(prefix="zengram-bench-", ignore_cleanup_errors=True) as folder:
        result = measure(options, Path(folder))
    if options.json:
        print(json.dumps(result, indent=1))
        return 0
    import report

    print("\n".join(report.report(result)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
