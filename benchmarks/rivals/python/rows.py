"""What weft_bench measures, by LangGraph or by pydantic-graph and pydantic-ai. Waiting rows have 1,000 runs at once.

usage: rows.py langgraph|pydantic [--quick] [row...]   measures all rows, or those whose names are or begin so; one
                                                       object of JSON a line
       rows.py langgraph|pydantic --list               names of the rows
"""

import asyncio
import importlib
import os
import sys
import time

import measure
from measure import amount, cpu_us, require, rounds, rounds_alone, show, status_bytes
from shape import AgentShape, Waits

REACT = AgentShape(
    system="You help people with the weather.",
    before=["m" * 200],
    question="Does it rain?",
    tool="look",
    arguments=lambda turn: {"x": turn},
    result=lambda arguments: f"seen {arguments['x']}",
    answer="It rains.",
    turns=20,
)
WEATHER = AgentShape(
    system="You are a helpful assistant.",
    before=[],
    question="What is the weather in Paris?",
    tool="weather",
    arguments=lambda turn: {"city": "Paris"},
    result=lambda arguments: f"rain in {arguments['city']}",
    answer="It rains in Paris.",
    turns=3,
    delay=0.1,
)


async def cpu_of(runs, run):
    before = cpu_us()
    for _ in range(runs):
        await run()
    return (cpu_us() - before) / runs


async def at_once(count, run):
    await asyncio.gather(*(run() for _ in range(count)))


async def chain(system, name, count):
    run, runs = system.chain(count), amount(100 // (count + 3), 2)
    show(system.title, name, "ns CPU per run", [us * 1e3 for us in await rounds(7, lambda: cpu_of(runs, run))])


async def fan_out(system, name, count):
    run, runs = system.fan_out(count, 0), amount(100 // (count + 8) + 1, 1)
    figures = await rounds(5 if count < 1000 else 3, lambda: cpu_of(runs, run))
    show(system.title, name, "ns CPU per branch", [us * 1e3 / count for us in figures])


async def wait(system, name, count):
    run = system.fan_out(count, 0.01)

    async def one_round():
        before = time.perf_counter()
        await run()
        return (time.perf_counter() - before) * 1e3

    show(system.title, name, "ms", await rounds(5, one_round))


async def in_flight(system, name, count):
    run, runs = system.waiting(Waits()), amount(count, 50)

    async def one_round():
        return await cpu_of(1, lambda: at_once(runs, run)) / runs

    show(system.title, name, "us CPU per run", await rounds(2, one_round))


async def memory(system, name, count):
    kind = "suspended" if name.startswith("suspended") else "moving"
    show(system.title, name, "bytes per run", rounds_alone(3, system.name, kind, amount(count, 50))[0])


async def build(system, name, count):
    async def built():
        system.build(count)

    show(system.title, name, "us CPU", await rounds(5, lambda: cpu_of(1, built)))


async def react_turn(system, name, _count):
    run, runs = system.turns(REACT), amount(3, 1)
    figures = await rounds(5, lambda: cpu_of(runs, run))
    show(system.title, name, "us CPU per turn", [us / REACT.turns for us in figures])


async def agents(system, name, count):
    cpu, bytes_each, wall = rounds_alone(2, system.name, "agents", amount(count, 50))
    show(system.title, name, "us CPU per agent", cpu)
    show(system.title, f"agents_memory_{count}", "bytes per agent", bytes_each)
    show(system.title, f"agents_wall_{count}", "ms", wall)


ROWS = [
    ("chain_1", chain, 1),
    ("chain_3", chain, 3),
    ("chain_10", chain, 10),
    ("fan_out_8_coroutine", fan_out, 8),
    ("fan_out_64_coroutine", fan_out, 64),
    ("fan_out_1000_coroutine", fan_out, 1000),
    ("wait_1000", wait, 1000),
    ("in_flight_1000", in_flight, 1000),
    ("in_flight_memory_1000", memory, 1000),
    ("suspended_memory_1000", memory, 1000),
    ("build_1000", build, 1000),
    ("react_turn_2", react_turn, 2),
    ("agents_1000", agents, 1000),
]


async def alone(system, kind, count):
    """Measures memory, or agents, in a process that does nothing else."""
    if kind == "moving":  # the most from the first run to the last end; the pages of the code are there before
        run = system.waiting(Waits())
        await at_once(10, run)
        before = status_bytes("VmRSS")
        await at_once(count, run)
        return [(status_bytes("VmHWM") - before) / count]
    if kind == "suspended":
        await at_once(1, system.waiting(Waits()))  # what is imported late
        hour = Waits(3600, 3600)
        before = status_bytes("VmRSS")
        runs = asyncio.ensure_future(at_once(count, system.waiting(hour)))
        while hour.begun < count:
            require(not runs.done(), "a suspended run went on")
            await asyncio.sleep(0.001)
        return [(status_bytes("VmRSS") - before) / count]
    require(kind == "agents", "--alone is for the program itself")
    run = system.turns(WEATHER)
    await at_once(min(count, 10), run)
    bytes_before, cpu_before, began = status_bytes("VmRSS"), cpu_us(), time.perf_counter()
    await at_once(count, run)
    wall = (time.perf_counter() - began) * 1e3
    return [(cpu_us() - cpu_before) / count, (status_bytes("VmHWM") - bytes_before) / count, wall]


def select(word):
    return [row for row in ROWS if row[0] == word] or [row for row in ROWS if row[0].startswith(word)]


async def measure_rows(system, words):
    for word in words or [""]:
        if not select(word):
            sys.exit(f"rows.py: no row '{word}'\n{__doc__}")
        for name, one, count in select(word):
            await one(system, name, count)


def main():
    words = sys.argv[1:]
    if words[:1] == ["--alone"]:
        system = importlib.import_module("on_" + words[1])
        print(*asyncio.run(alone(system, words[2], int(words[3]))), flush=True)
        os._exit(0)  # suspended runs do not come to an end
    if not words or words[0] not in ("langgraph", "pydantic"):
        sys.exit(__doc__)
    if "--list" in words:
        print("\n".join(name for name, _, _ in ROWS))
        return
    system = importlib.import_module("on_" + words[0])
    measure.quick = "--quick" in words
    asyncio.run(measure_rows(system, [word for word in words[1:] if word != "--quick"]))


main()
