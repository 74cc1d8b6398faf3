#!/usr/bin/env python3
"""Writes planner/src/main/resources/org/shardplan/cost/kernels.tsv from measured kernels and collectives.

    bench/scripts/kernel_tables.py ../shared/hardware > planner/src/main/resources/org/shardplan/cost/kernels.tsv

Reads gemm.csv and collectives.csv of that folder (their README describes the columns). What it keeps:
  product  whole m x n x k grids of ai-dynamo/aiconfigurator (Apache-2.0): achieved TFLOP/s, four digits
  curve    single-node NCCL time by collective, ranks and message size, in microseconds, made monotone in size
Prints to stderr what came from where, the cells it filled, and the leave-one-out error of the interpolation.
"""
import csv
import math
import statistics
import sys

DTYPES = {"bfloat16": "bf16", "fp8": "fp8", "nvfp4": "nvfp4"}
# devices whose 16-bit all-reduce uses in-switch reduction (NVLS); their int8 one is a ring
SWITCHES = {"h100-sxm-80gb", "h200-sxm", "b200-sxm", "b300-sxm", "gb200", "gb300"}
CURVES = [
    "a100-sxm-80gb", "h100-sxm-80gb", "h200-sxm", "b200-sxm", "b300-sxm", "gb200", "gb300", "l40s", "rtx-pro-6000",
]


def digits(value):
    """Four significant digits, as short as they go."""
    text = f"{value:.4g}"
    return f"{value:.0f}" if "e" in text else text


def leave_one_out(grid, axes):
    """Median and 90th percentile of the error, in percent, when each cell is told from its neighbours (n, k >= 512)."""
    errors = []
    for cell, value in grid.items():
        if cell[1] < 512 or cell[2] < 512:
            continue
        guesses = []
        for axis, ticks in enumerate(axes):
            i = ticks.index(cell[axis])
            if 0 < i < len(ticks) - 1:
                low, high = list(cell), list(cell)
                low[axis], high[axis] = ticks[i - 1], ticks[i + 1]
                if tuple(low) in grid and tuple(high) in grid:
                    share = math.log(cell[axis] / low[axis]) / math.log(high[axis] / low[axis])
                    guesses.append(math.log(grid[tuple(low)]) * (1 - share) + math.log(grid[tuple(high)]) * share)
        if guesses:
            errors.append(abs(math.exp(sum(guesses) / len(guesses)) / value - 1) * 100)
    return statistics.median(errors), statistics.quantiles(errors, n=10)[-1]


def fill(grid, axes):
    """Cells that were not measured (the largest) take the nearest smaller n, then k, then m."""
    filled = 0
    for m in axes[0]:
        for n in axes[1]:
            for k in axes[2]:
                if (m, n, k) in grid:
                    continue
                filled += 1
                for axis in (1, 2, 0):
                    cell = [m, n, k]
                    i = axes[axis].index(cell[axis])
                    cell[axis] = axes[axis][i - 1]
                    if i > 0 and tuple(cell) in grid:
                        grid[(m, n, k)] = grid[tuple(cell)]
                        break
                else:
                    raise SystemExit(f"no neighbour for {m} x {n} x {k}")
    return filled


def products(rows):
    tables = {}
    for row in rows:
        if row["op"] == "gemm" and row["source"].startswith("ai-dynamo/aiconfigurator") and row["dtype"] in DTYPES:
            tables.setdefault((row["device"], DTYPES[row["dtype"]]), []).append(row)
    for (device, dtype), table in sorted(tables.items()):
        grid = {(int(r["m"]), int(r["n"]), int(r["k"])): float(r["tflops"]) for r in table}
        axes = [sorted({cell[axis] for cell in grid}) for axis in range(3)]
        peak = statistics.median(float(r["tflops"]) / float(r["efficiency"]) for r in table if float(r["efficiency"]) > 0.3)
        peak = round(peak / 10) * 10 if peak > 1000 else round(peak)
        error = leave_one_out(grid, axes)
        filled = fill(grid, axes)
        source = table[0]["source"]
        print(f"{device} {dtype}: {len(table)} shapes, {filled} filled, leave-one-out {error[0]:.1f} % median, "
              f"{error[1]:.1f} % p90; {source}", file=sys.stderr)
        values = "".join(" ".join(digits(grid[(m, n, k)]) for k in axes[2]) + "\n" for m in axes[0] for n in axes[1])
        print("product", device, dtype, peak, *(",".join(map(str, axis)) for axis in axes), source, len(values), sep="\t")
        print(values, end="")


def curve_line(name, kind, ranks, points, source):
    """One line: times at 2^first, 2^(first+1), ... bytes."""
    sizes = sorted(points)
    first = sizes[0].bit_length() - 1
    if sizes != [1 << (first + i) for i in range(len(sizes))]:
        raise SystemExit(f"{name} {kind} {ranks}: sizes are not consecutive powers of two")
    times, least = [], math.inf
    for size in reversed(sizes):  # a point above a later one is a hiccup of the measurement
        least = min(least, points[size])
        times.insert(0, digits(least))
    print("curve", name, kind, ranks, first, " ".join(times), source, sep="\t")


def curves(rows):
    for device in CURVES:
        mine = [r for r in rows if r["device"] == device and " NCCL table " in r["note"]]
        version = max((r["note"].split(" NCCL table ")[1].split(";")[0] for r in mine),
                      key=lambda v: [int(part) for part in v.split(".")])
        mine = [r for r in mine if f" NCCL table {version};" in r["note"]]
        for kind in ("all_reduce", "all_reduce_switch", "all_gather", "reduce_scatter", "all_to_all"):
            if kind == "all_reduce_switch" and device not in SWITCHES:
                continue
            dtype = "int8" if kind == "all_reduce" and device in SWITCHES else "half"
            for ranks in (2, 4, 8):
                points = {}
                for r in mine:
                    if (r["collective"] == kind.removesuffix("_switch") and r["ranks"] == str(ranks)
                            and r["note"].startswith(dtype)):
                        points.setdefault(int(r["message_bytes"]), []).append(float(r["time_us"]))
                if points:
                    curve_line(device, kind, ranks, {s: statistics.median(t) for s, t in points.items()}, mine[0]["source"])
        print(f"{device}: NCCL {version}, {mine[0]['source']}", file=sys.stderr)
    v100 = [r for r in rows if r["device"] == "v100-sxm-32gb" and "out-of-place; float32" in r["note"]]
    for ranks in (2, 4, 8):
        points = {int(r["message_bytes"]): float(r["time_us"]) for r in v100 if r["ranks"] == str(ranks)}
        powers = {s: t for s, t in points.items() if s & (s - 1) == 0}
        curve_line("v100-sxm-32gb", "all_reduce", ranks, powers, v100[0]["source"].split(" (")[0])
    print(f"v100-sxm-32gb: {v100[0]['source']}", file=sys.stderr)


def main(folder):
    print("# Measured kernels and collectives, written by bench/scripts/kernel_tables.py. Do not edit.")
    print("# product: device, precision, peak TFLOP/s, m, n, k, source, bytes that follow: a line for each (m, n) of TFLOP/s at each k")
    print("# curve: name, collective, ranks, log2 of the first size, microseconds at each power of two, source")
    with open(f"{folder}/gemm.csv", newline="") as file:
        products(list(csv.DictReader(file)))
    with open(f"{folder}/collectives.csv", newline="") as file:
        curves(list(csv.DictReader(file)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
