#!/usr/bin/env python3
"""Holds `kidx score` against the suite's own script, figure by figure.

    python3 benches/score_beside.py SUITE KIDX BASELINE [EVALUATION ...]

SUITE is a checkout of KernelBench, KIDX the binary, BASELINE a baseline timing file; each
EVALUATION an eval_results.json whose folder names its level. Beside those given it makes twenty
evaluations of its own, from a fixed seed: empty, failing, tied, incomplete, of several samples, in
both forms. The suite's `scripts/benchmark_eval_analysis.py` is run on the same inputs in its own
process, and every figure must agree to 1e-9. Needs Python with numpy, tabulate and pydra-config.

Files in the old form (a sample, not a list of samples) can't be read by the script; they are given
to it with each sample in a list, which changes no figure.
"""

import json
import math
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

RUNNER = """
import contextlib, io, json, sys, types
# The package's own __init__ patches PyTorch and wants all of the suite's dependencies; what the
# script uses of it needs none of them.
package = types.ModuleType("kernelbench")
package.__path__ = [sys.argv[1] + "/src/kernelbench"]
sys.modules["kernelbench"] = package
sys.path.insert(0, sys.argv[1] + "/scripts")
from benchmark_eval_analysis import analyze_greedy_eval
with contextlib.redirect_stdout(io.StringIO()):
    found = analyze_greedy_eval(sys.argv[3], "-", "-", int(sys.argv[4]), baseline_file=sys.argv[5], eval_results_dir=sys.argv[2])
print(json.dumps(found))
"""


def level_of(name):
    found = re.search(r"level[_-]?(\d+)|_l(\d)(?:_|$)", name)
    return int(found.group(1) or found.group(2))


def theirs(suite, folder, run, level, baseline):
    ran = subprocess.run(
        [sys.executable, "-c", RUNNER, suite, folder, run, str(level), baseline],
        capture_output=True,
        text=True,
        cwd=suite,
    )
    if ran.returncode != 0:
        raise SystemExit(f"the suite's script failed on {run}:\n{ran.stderr[-2000:]}")
    return json.loads(ran.stdout.splitlines()[-1])


def ours(kidx, path, baseline, level):
    ran = subprocess.run(
        [kidx, "--db", "/nonexistent/none.db", "score", path, "--baseline", baseline, "--level", str(level),
         "--any-hardware", "--suite-rules", "--json"],
        capture_output=True,
        text=True,
    )
    if ran.returncode not in (0, 3):
        raise SystemExit(f"kidx failed on {path}:\n{ran.stderr}")
    return json.loads(ran.stdout)["items"][0]["suite_rules"][0]


def same(mine, their):
    if isinstance(their, float) and not math.isfinite(their):
        return mine is None
    if mine is None or their is None:
        return mine is their
    return abs(mine - their) <= 1e-9 * max(1.0, abs(their))


def listed(evaluation):
    """The evaluation with each sample in a list, as the script reads it."""
    return {key: value if isinstance(value, list) else [value] for key, value in evaluation.items()}


def synthetic(baseline):
    """Twenty evaluations, by name; the level is in the name."""
    draw = random.Random(20260305)
    device = "NVIDIA Made Up"

    def sample(identity, kind, ms=None):
        stats = {} if ms is None else {"mean": ms, "std": ms / 50, "min": ms * 0.98, "max": ms * 1.1, "num_trials": 100}
        return {
            "sample_id": identity,
            "compiled": kind != "broken",
            "correctness": kind == "right",
            "metadata": {"hardware": device},
            "runtime": -1.0 if ms is None else ms,
            "runtime_stats": stats,
        }

    def times(level):
        return {int(name.split("_")[0]): entry["mean"] for name, entry in baseline[f"level{level}"].items() if entry}

    def three(value):
        return float(f"{value:.3g}")

    made = {}
    for index in range(20):
        level = index % 3 + 1
        base = times(level)
        numbers = sorted(base)
        evaluation = {}
        for number in numbers:
            roll = draw.random()
            ratio = math.exp(draw.gauss(0, 1.2))
            if index == 1 or (index == 2 and roll < 0.9):
                evaluation[number] = [sample(0, "broken")]
            elif index == 3:
                evaluation[number] = [sample(0, "right", three(base[number]))]
            elif index == 4 and roll < 0.6:
                continue
            elif index == 5:
                evaluation[number] = [sample(k, draw.choice(["right", "wrong", "broken"]), None) for k in range(3)]
                evaluation[number] = [
                    sample(s["sample_id"], "right", three(base[number] / ratio)) if s["correctness"] else s
                    for s in evaluation[number]
                ]
            elif index == 6 and roll < 0.05:
                evaluation[number] = [sample(0, "right")]  # correct and never timed: -1
            elif index == 7:
                evaluation[number] = [sample(1, "right", three(base[number]))]  # no sample 0
            elif index == 8:
                evaluation[number] = [sample(0, "right", three(base[number] / draw.choice([0.5, 0.8, 1.0, 1.5, 2.0])))]
            elif index == 9 and roll < 0.5:
                evaluation[number] = sample(0, "right", three(base[number] / ratio))  # the old form
            elif index == 10:
                evaluation[number] = [sample(0, "right", three(base[number] / 1e4))]
            elif roll < 0.5:
                evaluation[number] = [sample(0, "right", three(base[number] / ratio))]
            elif roll < 0.8:
                evaluation[number] = [sample(0, "wrong")]
            else:
                evaluation[number] = [sample(0, "broken")]
        if index == 0:
            evaluation = {}
        made[f"synthetic_{index:02}_level{level}"] = {str(k): v for k, v in sorted(evaluation.items())}
    return made


def main():
    suite, kidx, baseline, *evaluations = sys.argv[1:]
    suite, kidx, baseline = (str(Path(p).resolve()) for p in (suite, kidx, baseline))
    known = json.loads(Path(baseline).read_text())
    figures = 0
    with tempfile.TemporaryDirectory() as folder:
        runs = []
        for path in map(Path, evaluations):
            runs.append((path.parent.name, level_of(path.parent.name), json.loads(path.read_text())))
        for name, evaluation in synthetic(known).items():
            runs.append((name, level_of(name), evaluation))
        wrong = 0
        for name, level, evaluation in runs:
            own = Path(folder, "own", name)
            given = Path(folder, "given", name)
            for place, content in ((own, evaluation), (given, listed(evaluation))):
                place.mkdir(parents=True)
                (place / "eval_results.json").write_text(json.dumps(content))
            their = theirs(suite, str(given.parent), name, level, baseline)
            mine = ours(kidx, str(own / "eval_results.json"), baseline, level)
            pairs = [(key, mine[key], their[key]) for key in (
                "total_count", "total_eval", "compiled_count", "correct_count", "compilation_rate",
                "correctness_rate")]
            pairs.append(("geo_mean_speedup", mine["geo_mean_speedup"], their["geo_mean_speedup"]))
            pairs += [(f"fast_{p}", mine["fast_p"][p], share) for p, share in their["fast_p"].items()]
            figures += len(pairs)
            bad = [(key, a, b) for key, a, b in pairs if not same(a, b)]
            wrong += len(bad)
            geo = "not a number" if mine["geo_mean_speedup"] is None else f"{mine['geo_mean_speedup']:.6f}"
            print(f"{name}: {len(pairs)} figures, {len(bad)} differ (geo mean {geo}, fast_1 {mine['fast_p']['1.0']:.4f})")
            for key, a, b in bad:
                print(f"  {key}: kidx {a}, script {b}")
    print(f"{len(runs)} evaluations, {figures} figures, {wrong} differ")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
