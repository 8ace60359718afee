#!/usr/bin/env python3
"""Times an import of many made-up runs beside what writing their rows costs, and `kidx
records` on few runs beside many.

    pip install sqlite-utils
    cargo build --release --benches
    python3 benches/scale.py --dates 100

The peers of the import: `bare`, which copies the finished rows into an empty database by
one prepared statement a table, and `sqlite-utils insert` of the flattened records, if it
is installed. The question is the same records twice: of every problem of level 1 on every
H100, in a database that holds one date of them and in one that holds all.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from compare import Turn, median_ms, peak_mib
from generate import generate, large

FLAT = """
import json, pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).rglob('*.json')):
    for level, problems in json.loads(path.read_text()).items():
        for name, record in problems.items():
            print(json.dumps({'file': str(path), 'level': level, 'problem': name, **record}))
"""


def bare(release):
    """The benchmark binary that Cargo built last."""
    built = [path for path in (release / "deps").glob("bare-*") if not path.suffix]
    if not built:
        raise SystemExit("there is no `bare`: `cargo build --release --benches` makes it")
    return max(built, key=lambda path: path.stat().st_mtime)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kidx", type=pathlib.Path, default="target/release/kidx")
    parser.add_argument("--dates", type=int, default=10, help="10,000 runs each [default: 10]")
    parser.add_argument("--turns", type=int, default=5)
    given = parser.parse_args()
    kidx = given.kidx.resolve()
    copy = bare(kidx.parent)

    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        runs = generate(work / "many", dates=given.dates)
        generate(work / "few", dates=1)
        large(work / "large")

        def importing(name):
            return [kidx, "--quiet", "--db", work / f"{name}.db", "import", "kernelbench",
                    work / name]

        print("| what | wall s | CPU s | runs/s | peak MiB |\n| --- | --: | --: | --: | --: |")

        def row(what, turn, count, peak=""):
            print(f"| {what} | {turn.wall:.2f} | {turn.cpu:.2f} |"
                  f" {count / turn.wall:,.0f} | {peak} |", flush=True)

        row(f"kidx import of {runs:,} runs", Turn(importing("many")), runs)
        copied = Turn([copy, work / "many.db", work / "copy.db"])
        row("bare copy of its rows, reading them included", copied, runs)
        print(f"  ({copied.text.strip()})")
        utils = shutil.which("sqlite-utils") or shutil.which(
            "sqlite-utils", path=pathlib.Path(sys.executable).parent)
        if utils:
            with open(work / "flat.ndjson", "w") as flat:
                subprocess.run([sys.executable, "-c", FLAT, work / "many"], stdout=flat, check=True)
            insert = [utils, "insert", work / "flat.db", "runs", work / "flat.ndjson", "--nl"]
            row("sqlite-utils insert of the flattened records", Turn(insert), runs)
        row("kidx import of one file of 100,000 problems", Turn(importing("large")), 100_000)
        for name in ("many", "large"):
            for path in work.glob(f"{name}.db*"):
                path.unlink()
            print(f"peak of importing `{name}`: {peak_mib(importing(name)):.0f} MiB")
        Turn(importing("few"))

        def asking(name):
            return [kidx, "--db", work / f"{name}.db", "records", "--hardware", "h100",
                    "--level", "1", "--json"]

        taken = {"few": [], "many": []}
        for _ in range(given.turns):
            for name, turns in taken.items():
                turns.append(Turn(asking(name)))
        counts = {name: json.loads(turns[0].text)["count"] for name, turns in taken.items()}
        assert len(set(counts.values())) == 1, counts
        for name, turns in taken.items():
            print(f"{counts[name]} records of `{name}`:"
                  f" {median_ms([turn.wall for turn in turns])} ms,"
                  f" CPU {median_ms([turn.cpu for turn in turns])} ms")
        ratio = statistics.median(
            many.wall / few.wall for few, many in zip(taken["few"], taken["many"]))
        print(f"many over few: {ratio:.2f}")


if __name__ == "__main__":
    main()
