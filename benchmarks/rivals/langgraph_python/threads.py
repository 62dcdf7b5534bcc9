"""The load of `weft_bench --threads`, run by LangGraph. Prints the same object.

usage: threads.py sqlite|postgres [threads] [steps]      PostgreSQL is the server that DATABASE_URL names
"""

import asyncio
import json
import operator
import os
import statistics
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from typing import Annotated, TypedDict

from langgraph.graph import END, START, StateGraph

MESSAGE_BYTES = 200
CONNECTIONS = 10


class State(TypedDict, total=False):
    rounds: int
    score: float
    topic: str
    messages: Annotated[list, operator.add]


def graph_on(saver, steps, on_last):
    def say(state):
        rounds = state.get("rounds", 0) + 1
        text = f"{len(state['messages'])} ".ljust(MESSAGE_BYTES, "m")
        return {"rounds": rounds, "score": rounds / 7, "messages": [{"role": "assistant", "text": text}]}

    def end(_state):
        on_last()
        return {}

    builder = StateGraph(State)
    builder.add_node("say", say)
    builder.add_node("end", end)
    builder.add_edge(START, "say")
    builder.add_conditional_edges("say", lambda s: "say" if s["rounds"] < steps else "end", ["say", "end"])
    builder.add_edge("end", END)
    return builder.compile(checkpointer=saver, interrupt_before=["end"])


class OnSqlite:
    name = "sqlite"

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="rival-")
        self.file = os.path.join(self.folder.name, "threads.db")

    @asynccontextmanager
    async def open(self):
        from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

        async with AsyncSqliteSaver.from_conn_string(self.file) as saver:
            await saver.setup()
            async with saver.conn.execute("PRAGMA synchronous") as row:
                self.name = "sqlite" if (await row.fetchone())[0] == 2 else "sqlite_normal"
            yield saver

    async def bytes(self):
        names = [name for name in os.listdir(self.folder.name) if not name.endswith("-shm")]
        return sum(os.path.getsize(os.path.join(self.folder.name, name)) for name in names)


class OnPostgres:
    name = "postgres"

    def __init__(self):
        self.url = os.environ["DATABASE_URL"]

    @asynccontextmanager
    async def open(self):
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
        from psycopg.rows import dict_row
        from psycopg_pool import AsyncConnectionPool

        how = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
        async with AsyncConnectionPool(self.url, min_size=CONNECTIONS, max_size=CONNECTIONS, kwargs=how) as pool:
            saver = AsyncPostgresSaver(pool)
            await saver.setup()
            yield saver

    async def bytes(self):
        import psycopg

        async with await psycopg.AsyncConnection.connect(self.url) as connection:
            found = await connection.execute(
                "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n"
                " ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind = 'r'"
            )
            return int((await found.fetchone())[0])


def config_of(thread, steps):
    return {"configurable": {"thread_id": thread}, "recursion_limit": steps + 10}


def check(holds, what):
    if not holds:
        raise RuntimeError(what)


async def run_threads(graph, names, steps):
    # Each checkpoint is written before the next step begins, as weft's are.
    runs = [graph.ainvoke({"topic": "rain", "messages": []}, config_of(name, steps), durability="sync") for name in names]
    await asyncio.gather(*runs)


async def measure(place, threads, steps):
    names = [f"thread {i}" for i in range(threads)]
    async with place.open() as saver:
        graph = graph_on(saver, steps, lambda: check(False, "a thread did not pause"))
        await run_threads(graph, ["warm up"], steps)
        cpu_before = time.process_time()
        before = time.perf_counter()
        await run_threads(graph, names, steps)
        took = time.perf_counter() - before
        cpu = time.process_time() - cpu_before
    used = round(await place.bytes() * threads / (threads + 1))

    began = 0.0

    def note():
        nonlocal began
        began = time.perf_counter()

    async with place.open() as saver:
        graph = graph_on(saver, steps, note)
        before = time.perf_counter()
        newest = await graph.aget_state(config_of("thread 0", steps))
        newest_s = time.perf_counter() - before
        check(len(newest.values["messages"]) == steps, "a thread that was read lacks messages")

        before = time.perf_counter()
        states = [len(s.values.get("messages", [])) async for s in graph.aget_state_history(config_of("thread 0", steps))]
        history_s = time.perf_counter() - before
        check(len(states) >= steps and sum(states) >= steps * (steps + 1) / 2, "a history lacks states")

        resuming = []
        for name in names[:9]:
            began = 0.0
            before = time.perf_counter()
            await graph.ainvoke(None, config_of(name, steps), durability="sync")
            check(began > 0, "a thread did not go on")
            resuming.append(began - before)

    return {
        "system": "LangGraph",
        "store": place.name,
        "threads": threads,
        "steps": steps,
        "steps_per_s": threads * steps / took,
        "cpu_us_per_step": cpu * 1e6 / (threads * steps),
        "bytes": used,
        "newest_ms": newest_s * 1e3,
        "history_ms": history_s * 1e3,
        "resume_ms": statistics.median(resuming) * 1e3,
    }


def main():
    places = {"sqlite": OnSqlite, "postgres": OnPostgres}
    store = sys.argv[1] if len(sys.argv) > 1 else "sqlite"
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 64
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    if store not in places:
        sys.exit(f"no store '{store}' here")
    print(json.dumps(asyncio.run(measure(places[store](), threads, steps))))


main()
