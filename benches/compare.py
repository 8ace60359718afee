#!/usr/bin/env python3
"""Times `kidx records` beside what else would answer the same question.

    pip install duckdb
    cargo build --release
    python3 benches/compare.py [FOLDER] --kidx target/release/kidx

The question: the record of every problem on every H100, with the eager baseline, from a
folder of timing files. Every figure is a whole process, started anew with the files in
the page cache. Contestants take turns, so that whatever else the machine does meets all
of them, and ratios are taken turn by turn. All must give the same rows and latencies, or
the comparison stops.
"""

import argparse
import importlib.metadata
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples/kernelbench"

# A process that asks DuckDB and prints the rows, with the seconds the query alone took.
# Of the ways to read these files (typed columns, one map, json_each) this is the fastest.
DUCKDB = """
import json, sys, time
import duckdb
started = time.perf_counter()
rows = duckdb.execute('''
    WITH file AS (
        SELECT parse_path(filename)[-2] AS folder, parse_filename(filename) AS file,
               unnest(map_entries(from_json(
                   json, '"MAP(VARCHAR, MAP(VARCHAR, STRUCT(mean DOUBLE, hardware VARCHAR)))"'
               ))) AS level
        FROM read_json_objects(?, filename = true, format = 'unstructured')
    ), entry AS (
        SELECT folder, file, level.key AS level, unnest(map_entries(level.value)) AS entry
        FROM file
    )
    SELECT level, entry.key AS problem, entry.value.hardware AS device, folder,
           arg_min(file, entry.value.mean) AS configuration,
           min(entry.value.mean) AS mean,
           min(entry.value.mean) FILTER (file = 'baseline_time_torch.json') AS eager,
           eager / mean AS speedup
    FROM entry
    WHERE device LIKE '%H100%'
    GROUP BY level, problem, device, folder
    ORDER BY level, problem, device, folder
''', [sys.argv[1] + '/*/*.json']).fetchall()
seconds = time.perf_counter() - started
print(json.dumps({'seconds': seconds, 'rows': rows}))
"""

SQL = "SELECT * FROM v_record WHERE hardware_family = 'h100'"


class Turn:
    """One process from start to end: what it took and what it printed."""

    def __init__(self, command):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            started = time.perf_counter()
            process = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            self.wall = time.perf_counter() - started
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            self.text = out.read().decode()
            if process.returncode != 0:
                raise SystemExit(f"{command} failed:\n{err.read().decode()}")
        self.cpu = usage.ru_utime + usage.ru_stime


# Starts a process from one that is itself small, since a child's peak begins with its
# parent's; prints that peak.
SPAWN = """
import os, sys
quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
print(os.wait4(child, 0)[2].ru_maxrss)
"""


def peak_mib(command):
    small = [sys.executable, "-I", "-S", "-c", SPAWN, *command]
    # KiB on Linux, bytes on macOS.
    return int(Turn(small).text) / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def median_ms(seconds):
    return f"{statistics.median(seconds) * 1e3:.1f}"


# Every answer as sorted (level, problem, record in ps, baseline in ps).


def ps(value, per):
    return None if value is None else round(value * per)


def of_kidx(text):
    return sorted(
        (item["operation"]["level"], item["operation"]["problem"],
         ps(item["record"]["latency_ns"], 1e3),
         item["baseline"] and ps(item["baseline"]["latency_ns"], 1e3))
        for item in json.loads(text)["items"]
    )


def of_duckdb(text):
    number = re.compile(r"\d+")
    return sorted(
        (int(number.search(level)[0]), int(number.match(problem)[0]), ps(mean, 1e9), ps(eager, 1e9))
        for level, problem, _, _, _, mean, eager, _ in json.loads(text)["rows"]
    )


def of_sqlite(text):
    return sorted(
        (int(row["level"].removeprefix("level")), row["problem"],
         ps(row["latency_ns"], 1e3), ps(row["baseline_ns"], 1e3))
        for row in json.loads(text)
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, nargs="?", default=EXAMPLES)
    parser.add_argument("--kidx", type=pathlib.Path, default="target/release/kidx")
    parser.add_argument("--turns", type=int, default=21, help="at least 11")
    parser.add_argument("--observed-on", help="day of the figures [default: the files' own times]")
    given = parser.parse_args()
    turns = max(given.turns, 11)
    kidx, folder = given.kidx.resolve(), given.folder.resolve()
    if not kidx.is_file():
        raise SystemExit(f"there is no {kidx}: `cargo build --release` makes it")
    try:
        version = importlib.metadata.version("duckdb")
    except importlib.metadata.PackageNotFoundError:
        raise SystemExit(f"DuckDB is missing: `{sys.executable} -m pip install duckdb`") from None

    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)

        def importing(name):
            day = ["--observed-on", given.observed_on] if given.observed_on else []
            return [kidx, "--db", work / name, "import", "kernelbench", folder, "--json", *day]

        imports = [Turn(importing(f"{turn}.db")) for turn in range(turns)]
        import_peak = peak_mib(importing("peak.db"))
        runs = json.loads(imports[0].text)["items"][0]["totals"]["inserted"]
        database = work / "0.db"
        size = database.stat().st_size

        asked = [kidx, "--db", database, "records", "--hardware", "h100"]
        contestants = {
            "kidx records --json": ([*asked, "--json"], of_kidx),
            "kidx records": (asked, None),
            f"DuckDB {version} in Python": ([sys.executable, "-c", DUCKDB, folder], of_duckdb),
        }
        sqlite = shutil.which("sqlite3")
        if sqlite:
            contestants["sqlite3 shell on the kidx file"] = (
                [sqlite, "-readonly", "-json", database, SQL], of_sqlite)
        contestants["kidx --version (a bare start)"] = ([kidx, "--version"], None)

        first = {name: Turn(command) for name, (command, _) in contestants.items()}
        expected = of_kidx(first["kidx records --json"].text)
        for name, (_, rows) in contestants.items():
            assert rows is None or rows(first[name].text) == expected, f"{name} answers otherwise"
        assert expected, "no rows: nothing to compare"
        counted = f"{len(expected):,} rows"
        plain = Turn([*asked, "--format", "csv"]).text.splitlines()
        assert len(plain) == len(expected) + 1, "the rows of `kidx records` differ in number"

        peaks = {name: peak_mib(command) for name, (command, _) in contestants.items()}
        taken = {name: [] for name in contestants}
        for _ in range(turns):
            for name, (command, _) in contestants.items():
                taken[name].append(Turn(command))

    queries = [json.loads(turn.text)["seconds"] for turn in taken[f"DuckDB {version} in Python"]]
    reference = [turn.wall for turn in taken["kidx records --json"]]

    def row(name, walls, cpu="", peak=""):
        ratio = statistics.median(wall / own for wall, own in zip(walls, reference))
        fastest = f"{min(walls) * 1e3:.1f}"
        print(f"| {name} | {median_ms(walls)} | {fastest} | {cpu} | {peak} | {ratio:.2f} |")

    print(f"{counted}, {turns} turns; medians\n")
    print("| process | wall ms | fastest ms | CPU ms | peak MiB | times `records --json` |")
    print("| --- | --: | --: | --: | --: | --: |")
    for name, done in taken.items():
        cpu = median_ms([turn.cpu for turn in done])
        row(name, [turn.wall for turn in done], cpu, f"{peaks[name]:.0f}")
        if name.startswith("DuckDB"):
            row("– its query alone, without start and import", queries)
    walls = [turn.wall for turn in imports]
    print(f"\nimport: {runs:,} runs in {median_ms(walls)} ms"
          f" ({runs / statistics.median(walls):,.0f} runs/s),"
          f" CPU {median_ms([turn.cpu for turn in imports])} ms,"
          f" peak {import_peak:.0f} MiB, file {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
