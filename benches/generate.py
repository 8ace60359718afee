#!/usr/bin/env python3
"""Writes a folder of made-up timing files, in the form that KernelBench publishes.

    python3 benches/generate.py FOLDER              100,000 runs in 400 files
    python3 benches/generate.py FOLDER --dates 100  1,000,000 runs in 4,000 files
    python3 benches/generate.py FOLDER --large      100,000 runs in one file

Problems are the suite's own, so that their shapes are known; a figure follows from what
a problem moves and computes and from the device's peaks, and moves a little from date to
date. The same arguments always write the same bytes; a file's date is its modification
time.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import random

FACTS = pathlib.Path(__file__).parent.parent / "src/catalog/reference/kernelbench.jsonl"

# Device string, as tools print it, its GB/s and the TFLOP/s that fp32 inputs may get.
DEVICES = [
    ("H100", "NVIDIA H100 80GB HBM3", 3350, 495),
    ("H100PCIe", "NVIDIA H100 PCIe", 2039, 378),
    ("A100", "NVIDIA A100-SXM4-80GB", 2039, 156),
    ("L40S", "NVIDIA L40S", 864, 183),
    ("L4", "NVIDIA L4", 300, 60),
    ("A10G", "NVIDIA A10G", 600, 70),
    ("T4", "Tesla T4", 320, 8.1),
    ("H200", "NVIDIA H200", 4800, 495),
    ("B200", "NVIDIA B200", 7700, 1200),
    ("MI300X", "AMD Instinct MI300X", 5300, 653),
]

# Configuration, as file names say it, and how its times compare with eager.
CONFIGURATIONS = [
    ("torch", 1.0),
    ("torch_compile_inductor_default", 0.8),
    ("torch_compile_inductor_max-autotune", 0.75),
    ("torch_compile_inductor_reduce-overhead", 0.85),
    ("torch_compile_cudagraphs", 0.95),
]

LAST_DAY = datetime.datetime(2026, 3, 5, 12, tzinfo=datetime.timezone.utc)

WIDTHS = {"fp64": 8, "int64": 8, "fp32": 4, "int32": 4, "fp16": 2, "bf16": 2}


def problems(count):
    """(level, file, bytes, FLOP) of the first problems of the suite's own version."""
    lines = [json.loads(line) for line in FACTS.read_text().splitlines()]
    versions = [line for line in lines if "suite" in line]
    current = max(at for at, version in enumerate(versions) if version["released"])
    found = []
    for facts in lines[len(versions):]:
        if current not in facts["versions"]:
            continue
        size = 0
        for tensor in facts["inputs"] or []:
            if "shape" in tensor:
                size += math.prod(tensor["shape"]) * WIDTHS.get(tensor["dtype"], 4)
        work = facts.get("work") or {}
        size = max(size, work.get("memory_bytes") or 0)
        flops = work.get("flops", {}).get("needed", 0)
        found.append((facts["level"], facts["file"], size, flops))
    if count > len(found):
        raise SystemExit(f"the suite has {len(found)} problems")
    return sorted(found, key=lambda problem: (problem[0], int(problem[1].split("_")[0])))[:count]


def three_digits(value):
    return float(f"{value:.3g}")


def timings(rng, suite, device, peaks, factor):
    """One file's content: a mean near the device's limit, with statistics that fit it."""
    bandwidth, tflops = peaks
    levels = {}
    for level, file, size, flops in suite:
        at_limit = max(size / bandwidth / 1e6, flops / tflops / 1e9)  # to ms
        own = 1.7 + 3 * random.Random(file).random()
        mean = max(0.02, at_limit * own) * factor * rng.uniform(0.95, 1.05)
        spread = rng.uniform(0.001, 0.05)
        levels.setdefault(level, {})[file] = {
            "mean": three_digits(mean),
            "std": three_digits(mean * spread),
            "min": three_digits(mean * (1 - 1.5 * spread)),
            "max": three_digits(mean * (1 + 4 * spread)),
            "num_trials": 100,
            "hardware": device,
            "device": "cuda:0",
        }
    return levels


def generate(folder, machines=20, configurations=2, dates=10, count=250):
    """Writes the files; returns how many runs they state."""
    suite = problems(count)
    for date in range(dates):
        when = LAST_DAY - datetime.timedelta(days=dates - 1 - date)
        for machine in range(machines):
            short, device, *peaks = DEVICES[machine % len(DEVICES)]
            place = f"{short}_Site{machine // len(DEVICES) + 1}"
            into = folder / when.strftime("%Y-%m-%d") / place
            into.mkdir(parents=True, exist_ok=True)
            for name, factor in CONFIGURATIONS[:configurations]:
                rng = random.Random(f"{date} {place} {name}")
                path = into / f"baseline_time_{name}.json"
                text = json.dumps(timings(rng, suite, device, peaks, factor), indent=4)
                path.write_text(text + "\n")
                os.utime(path, (when.timestamp(), when.timestamp()))
    return machines * min(configurations, len(CONFIGURATIONS)) * dates * count


def large(folder, count=100_000):
    """One file of made-up problems that no suite has."""
    suite = [("level1", f"{number}_Made_up_problem_{number}.py", 4 << 20, 0)
             for number in range(1, count + 1)]
    short, device, *peaks = DEVICES[0]
    into = folder / f"{short}_Site1"
    into.mkdir(parents=True, exist_ok=True)
    levels = timings(random.Random("large"), suite, device, peaks, 1.0)
    path = into / "baseline_time_torch.json"
    path.write_text(json.dumps(levels, indent=4) + "\n")
    os.utime(path, (LAST_DAY.timestamp(), LAST_DAY.timestamp()))
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--machines", type=int, default=20)
    parser.add_argument("--configurations", type=int, default=2, choices=range(1, 6))
    parser.add_argument("--dates", type=int, default=10)
    parser.add_argument("--problems", type=int, default=250)
    parser.add_argument("--large", action="store_true", help="one file of 100,000 problems")
    given = parser.parse_args()
    runs = large(given.folder) if given.large else generate(given.folder, given.machines, given.configurations, given.dates, given.problems)
    print(f"{runs:,} runs in {given.folder}")


if __name__ == "__main__":
    main()
