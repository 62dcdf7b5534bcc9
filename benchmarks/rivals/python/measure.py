"""Rounds, clocks and memory: as weft_bench has them, so that the figures can stand beside its own."""

import json
import os
import statistics
import subprocess
import sys
import time

quick = False  # each row has one round without a warm-up: whether it works, not how fast it is


def amount(full, small):
    """How much work a round does: all of it, or at most `small` when it is quick."""
    return min(full, small) if quick else full


def require(holds, what):
    if not holds:
        raise RuntimeError(what)


def status_bytes(field):
    """A field of /proc/self/status: VmRSS is what is held now, VmHWM the most that ever was."""
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no line {field}")


def cpu_us():
    return time.process_time_ns() / 1e3


async def rounds(count, one_round):
    """The figures of so many rounds, behind rounds that warm up for 0.4 s."""
    if quick:
        return [await one_round()]
    began = time.perf_counter()
    while time.perf_counter() - began < 0.4:
        await one_round()
    return [await one_round() for _ in range(count)]


def rounds_alone(count, *work):
    """What this program prints as `--alone <work>` in a process of its own, so many times: a list for each place of
    the line. Memory can be told only by a process that has done nothing else."""
    found = []
    for _ in range(amount(count, 1)):
        command = [sys.executable, "-B", os.path.abspath(sys.argv[0]), "--alone", *map(str, work)]
        child = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        found.append([float(word) for word in child.stdout.split()])
    return list(zip(*found))


def show(system, name, unit, figures):
    """Prints a row as one object of JSON."""
    median = statistics.median(figures)
    spread = 0.0
    if len(figures) > 1:
        quarters = statistics.quantiles(figures, n=4, method="inclusive")
        spread = (quarters[2] - quarters[0]) / median
    row = {"name": name, "unit": unit, "system": system, "median": median, "least": min(figures)}
    print(json.dumps({**row, "spread": spread, "rounds": len(figures)}), flush=True)
