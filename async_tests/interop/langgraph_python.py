"""LangGraph's Python client against a server of weft: every call that it has for what the server does.

usage: langgraph_python.py <url> [--differences]
With --differences it goes on behind what is wrong, and prints a line `part: what` for each: so that the server of
LangGraph can be compared with weft's.
"""

import asyncio
import sys
from datetime import datetime, timezone
from uuid import uuid4
from zoneinfo import ZoneInfo

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.errors import APIStatusError

client = get_client(url=sys.argv[1], api_key=None)
lists_differences = "--differences" in sys.argv
passed = 0
differences = []
part_name = ""


class Wrong(Exception):
    pass


def check(is_right, what):
    global passed
    if is_right:
        passed += 1
    elif lists_differences:
        # Without what was seen, which is another one each time.
        differences.append(f"{part_name}: {what.split(':')[0]}")
    else:
        raise Wrong(what)


async def refused(call, status, what, text=""):
    try:
        await call
    except (APIStatusError, httpx.HTTPStatusError) as e:
        check(e.response.status_code == status, f"{what}: {e.response.status_code} {e}, and {status} is right")
        check(text in str(e.response.text), f"{what}: no '{text}' in {e.response.text}")
        return
    except Exception as e:  # of a run that has begun, and fails
        if not lists_differences:
            raise
        return check(False, f"{what}: {e}")
    check(False, f"{what}: it was not refused")


async def parts_of(stream):
    return [part async for part in stream]


async def assistants():
    found = await client.assistants.search(limit=100)
    check({a["graph_id"] for a in found} == {"echo", "chat", "approval", "failing", "slow", "assistant"}, f"search: {found}")
    check(await client.assistants.count() == 6, "count of assistants")
    echo = next(a for a in found if a["graph_id"] == "echo")
    check(echo["version"] == 1, f"version: {echo}")
    check(await client.assistants.get(echo["assistant_id"]) == echo, "get by id")
    drawn = await client.assistants.get_graph(echo["assistant_id"])
    check({n["id"] for n in drawn["nodes"]} == {"__start__", "first", "second", "__end__"}, f"graph: {drawn}")
    check({"source": "first", "target": "second"} in drawn["edges"], f"edges: {drawn}")
    schemas = await client.assistants.get_schemas(echo["assistant_id"])
    check((schemas["input_schema"] or {}).get("properties", {}).get("input", {}).get("type") == "string",
          f"schemas: {schemas}")
    check(await client.assistants.get_subgraphs(echo["assistant_id"]) == {}, "subgraphs")
    made = await client.assistants.create("echo", name="mine", metadata={"team": "blue"})
    changed = await client.assistants.update(made["assistant_id"], name="ours")
    check(changed["version"] == 2 and changed["name"] == "ours", f"update: {changed}")
    versions = await client.assistants.get_versions(made["assistant_id"])
    check([v["version"] for v in versions] == [2, 1], f"versions: {versions}")
    back = await client.assistants.set_latest(made["assistant_id"], 1)
    check(back["name"] == "mine", f"set_latest: {back}")
    found = await client.assistants.search(metadata={"team": "blue"})
    check([a["assistant_id"] for a in found] == [made["assistant_id"]], f"search by metadata: {found}")
    await client.assistants.delete(made["assistant_id"])
    await refused(client.assistants.get(made["assistant_id"]), 404, "a deleted assistant")
    await refused(client.assistants.create("nonsense"), 422, "an assistant of no graph", "echo")


async def names():
    """The name of a graph is the id of its own assistant in every call, not only in those that begin runs."""
    echo = await client.assistants.get("echo")
    check(echo["graph_id"] == "echo", f"get by the graph's name: {echo}")


async def threads():
    thread = await client.threads.create(metadata={"user": "ada"})
    id = thread["thread_id"]
    check(thread["status"] == "idle" and thread["metadata"] == {"user": "ada"}, f"create: {thread}")
    await refused(client.threads.create(thread_id=id), 409, "a thread twice")
    again = await client.threads.create(thread_id=id, if_exists="do_nothing")
    check(again["thread_id"] == id, "create if it is there")
    changed = await client.threads.update(id, metadata={"colour": "red"})
    check(changed["metadata"] == {"user": "ada", "colour": "red"}, f"update: {changed}")
    found = await client.threads.search(metadata={"colour": "red"})
    check([t["thread_id"] for t in found] == [id], f"search: {found}")
    check(await client.threads.count(metadata={"colour": "red"}) == 1, "count of threads")
    state = await client.threads.get_state(id)
    check(state["values"] == {} and state["next"] == [], f"state of a new thread: {state}")
    await client.threads.delete(id)
    await refused(client.threads.get(id), 404, "a deleted thread")
    await refused(client.threads.get("no-such-thread"), 404, "a thread that never was")


async def runs():
    thread = (await client.threads.create())["thread_id"]
    values = await client.runs.wait(thread, "echo", input={"input": "a"})
    check(values == {"input": "a", "steps": ["first a", "second"]}, f"wait: {values}")
    values = await client.runs.wait(thread, "echo", input={"input": "b"})
    check(values["steps"] == ["first a", "second", "first b", "second"], f"a second run goes on: {values}")
    state = await client.threads.get_state(thread)
    check(state["values"] == values, f"state: {state}")
    history = await client.threads.get_history(thread, limit=20)
    check(len(history) >= 4 and history[0]["values"] == values, f"history: {len(history)}")
    earlier = [s for s in history if s["values"].get("steps") == ["first a", "second"]][0]
    at = await client.threads.get_state(thread, checkpoint_id=earlier["checkpoint"]["checkpoint_id"])
    check(at["values"] == earlier["values"], f"state at a checkpoint: {at}")
    forked = await client.runs.wait(thread, "echo", input={"input": "c"}, checkpoint_id=at["checkpoint"]["checkpoint_id"])
    check(forked["steps"] == ["first a", "second", "first c", "second"], f"from a checkpoint: {forked}")
    await client.threads.update_state(thread, {"steps": ["by hand"]})
    edited = await client.threads.get_state(thread)
    check(edited["values"]["steps"][-1] == "by hand", f"update_state: {edited}")
    copied = await client.threads.copy(thread)
    check((await client.threads.get_state(copied["thread_id"]))["values"] == edited["values"], "copy")
    listed = await client.runs.list(thread)
    check(len(listed) == 3 and all(r["status"] == "success" for r in listed), f"list: {listed}")
    check(await client.runs.get(thread, listed[0]["run_id"]) == listed[0], "get")
    shown = await client.threads.get(thread)
    check(shown["metadata"]["graph_id"] == "echo" and shown["values"]["input"] == "c", f"thread after runs: {shown}")
    found = await client.threads.search(values={"input": "c"})
    check(thread in [t["thread_id"] for t in found], f"search by values: {found}")
    run = await client.runs.create(thread, "echo", input={"input": "d"}, metadata={"why": "test"})
    check(run["thread_id"] == thread and run["metadata"]["why"] == "test", f"create: {run}")
    joined = await client.runs.join(thread, run["run_id"])
    check(joined["steps"][-2:] == ["first d", "second"], f"join: {joined}")
    await refused(client.runs.wait(thread, "nonsense", input={}), 422, "an unknown assistant", "echo")
    await refused(client.runs.wait(thread, "echo", input={"nonsense": 1}), 422, "an unknown key", "input.nonsense")
    await refused(client.runs.wait(thread, "echo", input={"input": 7}), 422, "a value of another type", "input.input")
    await refused(client.runs.wait(str(uuid4()), "echo", input={}), 404, "an unknown thread")
    made = await client.runs.wait(str(uuid4()), "echo", input={"input": "e"}, if_not_exists="create")
    check(made["steps"] == ["first e", "second"], f"if_not_exists: {made}")


async def stateless():
    values = await client.runs.wait(None, "echo", input={"input": "a"})
    check(values == {"input": "a", "steps": ["first a", "second"]}, f"wait: {values}")
    parts = await parts_of(client.runs.stream(None, "echo", input={"input": "a"}, stream_mode=["updates", "values"]))
    kinds = [p.event for p in parts]
    check(kinds == ["metadata", "values", "updates", "values", "updates", "values"], f"events: {kinds}")
    check(parts[2].data == {"first": {"steps": ["first a"]}}, f"updates: {parts[2]}")
    check(parts[5].data["steps"] == ["first a", "second"], f"values: {parts[5]}")
    run = await client.runs.create(None, "echo", input={"input": "a"})
    check(run["status"] in ("pending", "running", "success"), f"create: {run}")


async def streams():
    thread = (await client.threads.create())["thread_id"]
    said = {"messages": [{"role": "user", "content": "hello"}]}
    parts = await parts_of(
        client.runs.stream(thread, "chat", input=said, stream_mode=["messages-tuple", "values", "custom"])
    )
    chunks = [p.data[0] for p in parts if p.event == "messages"]
    check("".join(c["content"] for c in chunks) == "You said: hello", f"tokens: {chunks}")
    check(len({c["id"] for c in chunks}) == 1 and chunks[0]["type"] == "AIMessageChunk", f"chunks: {chunks}")
    check([p.data["done"] for p in parts if p.event == "custom"] == [True], f"custom: {parts}")
    last = [p.data for p in parts if p.event == "values"][-1]["messages"]
    check([m["type"] for m in last] == ["human", "ai"], f"messages: {last}")
    check(last[1]["content"] == "You said: hello" and last[1]["id"] != last[0]["id"], f"messages: {last}")
    more = await client.runs.wait(thread, "chat", input={"messages": {"type": "human", "content": "again"}})
    check([m["content"] for m in more["messages"]][2:] == ["again", "You said: again"], f"messages: {more}")
    check(more["messages"][0]["id"] == last[0]["id"], "ids of messages stay")


async def questions():
    thread = (await client.threads.create())["thread_id"]
    parts = await parts_of(client.runs.stream(thread, "approval", input={"input": "mail"}, stream_mode="updates"))
    asked = [p.data["__interrupt__"] for p in parts if p.event == "updates" and "__interrupt__" in p.data]
    check(len(asked) == 1 and "Send mail?" in str(asked[0][0]["value"]), f"interrupt: {parts}")
    check((await client.threads.get(thread))["status"] == "interrupted", "status of a thread that waits")
    state = await client.threads.get_state(thread)
    check(state["next"] == ["review"] and state["tasks"][0]["interrupts"][0]["id"] == asked[0][0]["id"], f"{state}")
    values = await client.runs.wait(thread, "approval", command={"resume": True})
    check(values["decision"] == "sent", f"resume: {values}")
    check((await client.threads.get(thread))["status"] == "idle", "status after the answer")
    await refused(client.runs.wait(thread, "approval", command={"resume": True}), 422, "an answer to nothing")
    waiting = await client.runs.wait(thread, "approval", input={"input": "two"})
    check(waiting["__interrupt__"][0]["id"], f"wait for a run that asks: {waiting}")
    by_id = {waiting["__interrupt__"][0]["id"]: False}
    values = await client.runs.wait(thread, "approval", command={"resume": by_id})
    check(values["decision"] == "dropped", f"resume by id: {values}")
    await client.runs.wait(thread, "approval", input={"input": "three"})
    values = await client.runs.wait(thread, "approval", input={"input": "four"})
    check("__interrupt__" in values, f"a new input replaces a question: {values}")


async def edits():
    """Changes of the state while a question is open, threads with a past, and threads that end by themselves."""
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "approval", input={"input": "mail"})
    await client.threads.update_state(thread, {"input": "letter"})
    state = await client.threads.get_state(thread)
    check(state["values"]["input"] == "letter" and state["next"] == ["review"], f"update_state of a question: {state}")
    check(len(state["tasks"][0]["interrupts"]) == 1, f"a question stays open: {state}")
    values = await client.runs.wait(thread, "approval", command={"resume": True})
    check(values == {"input": "letter", "decision": "sent"}, f"resume behind an update: {values}")
    await client.runs.wait(thread, "approval", input={"input": "two"})
    first = (await client.threads.get_history(thread, limit=50))[-1]
    await client.threads.update_state(thread, {"input": "three"}, checkpoint_id=first["checkpoint"]["checkpoint_id"])
    check((await client.threads.get_state(thread))["values"]["input"] == "three", "update_state goes back")
    steps = [
        {"updates": [{"values": {"input": "a"}, "as_node": "__start__"}]},
        {"updates": [{"values": {"steps": ["one"]}, "as_node": "first"}]},
        {"updates": [{"values": {"steps": ["two"]}, "as_node": "second"}]},
    ]
    made = await client.threads.create(graph_id="echo", supersteps=steps, ttl=60)
    state = await client.threads.get_state(made["thread_id"])
    check(state["values"] == {"input": "a", "steps": ["one", "two"]}, f"supersteps: {state['values']}")
    check(state["next"] == [], f"behind supersteps: {state['next']}")
    values = await client.runs.wait(made["thread_id"], "echo", input={"input": "b"})
    check(values["steps"] == ["one", "two", "first b", "second"], f"a run behind supersteps: {values}")
    ttl = (await client.threads.get(made["thread_id"], include=["ttl"])).get("ttl", {})
    check(ttl.get("ttl_minutes") == 60 and ttl.get("strategy") == "delete", f"ttl: {ttl}")
    await client.threads.update(made["thread_id"], metadata={}, ttl={"ttl": 7, "strategy": "keep_latest"})
    ttl = (await client.threads.get(made["thread_id"], include=["ttl"])).get("ttl", {})
    check(ttl.get("ttl_minutes") == 7 and ttl.get("strategy") == "keep_latest", f"another ttl: {ttl}")
    quiet = await client.threads.update(made["thread_id"], metadata={"a": 1}, return_minimal=True)
    check(quiet is None, f"an update without an answer: {quiet}")


async def failures():
    thread = (await client.threads.create())["thread_id"]
    parts = await parts_of(client.runs.stream(thread, "failing", input={"input": "x"}))
    check(parts[-1].event == "error" and "it broke" in parts[-1].data["message"], f"error: {parts}")
    check((await client.threads.get(thread))["status"] == "error", "status of a thread whose run failed")
    check((await client.runs.list(thread))[0]["status"] == "error", "status of a failed run")
    values = await client.runs.wait(thread, "failing", input={"input": "x"}, raise_error=False)
    check("it broke" in values["__error__"]["message"], f"wait: {values}")


async def branches():
    """What chats do with their history: another answer to the same words, other words, and what they look at then."""
    thread = (await client.threads.create())["thread_id"]
    said = {"id": "m-1", "type": "human", "content": "one"}
    first = (await client.runs.wait(thread, "assistant", input={"messages": [said]}))["messages"]
    check(first[0]["id"] == "m-1" and first[1]["id"], f"the id of a message stays: {first}")
    parts = await parts_of(
        client.runs.stream(thread, "chat", input={"messages": "two"}, stream_mode=["messages-tuple", "values"])
    )
    streamed = {p.data[0]["id"] for p in parts if p.event == "messages"}
    messages = [p.data for p in parts if p.event == "values"][-1]["messages"]
    check(streamed == {messages[-1]["id"]}, f"pieces have the id of their message: {streamed} {messages[-1]}")
    check(messages[0]["id"] == "m-1" and messages[1]["id"] == first[1]["id"], f"ids in the next run: {messages}")
    history = await client.threads.get_history(thread, limit=20)
    with_one = [s for s in history if len(s["values"].get("messages", [])) == 1]
    after_one = with_one[0]["checkpoint"]["checkpoint_id"]
    again = await client.runs.wait(thread, "assistant", input=None, checkpoint_id=after_one)
    check([m["content"] for m in again["messages"]] == ["one", "You said: one"], f"another answer: {again}")
    check(again["messages"][1]["id"] != first[1]["id"], f"another answer has another id: {again}")
    root = with_one[-1]["parent_checkpoint"]["checkpoint_id"]
    other = await client.runs.wait(
        thread, "assistant", input={"messages": [{"type": "human", "content": "three"}]}, checkpoint_id=root
    )
    check([m["content"] for m in other["messages"]] == ["three", "You said: three"], f"from the beginning: {other}")
    ids = [s["checkpoint"]["checkpoint_id"] for s in await client.threads.get_history(thread, limit=50)]
    check(ids == sorted(ids, reverse=True), f"ids of checkpoints are in order: {ids}")
    parents = [(s["parent_checkpoint"] or {}).get("checkpoint_id") for s in await client.threads.get_history(thread)]
    check(parents.count(after_one) == 2, f"two branches from a checkpoint: {parents}")
    await client.threads.update_state(
        thread, {"messages": [{"type": "human", "content": "by hand"}]}, checkpoint={"checkpoint_id": after_one}
    )
    edited = await client.threads.get_state(thread)
    check([m["content"] for m in edited["values"]["messages"]] == ["one", "by hand"], f"a changed branch: {edited}")
    check(edited["parent_checkpoint"]["checkpoint_id"] == after_one, f"where it begins: {edited}")


async def rejoining():
    """A client that joins a run and says no modes sees those that the run was begun with."""
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(
        thread, "slow", input={"delay_ms": 300}, stream_mode=["updates"], stream_resumable=True
    )
    parts = await parts_of(client.runs.join_stream(thread, run["run_id"], last_event_id="-1"))
    kinds = [p.event for p in parts if p.event != "metadata"]
    check(kinds == ["updates"], f"join_stream without modes: {parts}")
    joined = await client.runs.join(thread, run["run_id"])
    check(joined["steps"] == ["waited"], f"join of a run that is over: {joined}")
    await client.runs.delete(thread, run["run_id"])
    check(await client.runs.list(thread) == [], "a deleted run is in no list")
    await refused(client.runs.get(thread, run["run_id"]), 404, "a deleted run")
    later = await client.runs.create(thread, "slow", input={"delay_ms": 1}, after_seconds=1)
    check(later["status"] == "pending", f"after_seconds: {later}")
    await client.runs.join(thread, later["run_id"])
    done = await client.runs.list(thread, status="success", limit=5)
    check([r["run_id"] for r in done] == [later["run_id"]], f"list by status: {done}")


async def busy():
    thread = (await client.threads.create())["thread_id"]
    slow = await client.runs.create(thread, "slow", input={"delay_ms": 60000})
    await refused(
        client.runs.create(thread, "slow", input={"delay_ms": 1}, multitask_strategy="reject"), 409, "a busy thread"
    )
    queued = await client.runs.create(thread, "slow", input={"delay_ms": 1})
    check(queued["status"] == "pending", f"enqueue: {queued}")
    check((await client.threads.get(thread))["status"] == "busy", "status of a busy thread")
    await client.runs.cancel(thread, slow["run_id"], wait=True)
    check((await client.runs.get(thread, slow["run_id"]))["status"] == "interrupted", "status of a cancelled run")
    await client.runs.join(thread, queued["run_id"])
    check((await client.runs.get(thread, queued["run_id"]))["status"] == "success", "the queued run ran")
    slow = await client.runs.create(thread, "slow", input={"delay_ms": 60000})
    values = await client.runs.wait(thread, "slow", input={"delay_ms": 1}, multitask_strategy="interrupt")
    check(values["delay_ms"] == 1, f"interrupt: {values}")
    check((await client.runs.get(thread, slow["run_id"]))["status"] == "interrupted", "status of a replaced run")


async def joining():
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "slow", input={"delay_ms": 300}, stream_mode=["updates", "values"])
    parts = await parts_of(client.runs.join_stream(thread, run["run_id"], stream_mode=["updates", "values"]))
    check([p.event for p in parts] == ["values", "updates", "values"], f"join_stream: {parts}")
    check(parts[1].data == {"wait": {"steps": ["waited"]}}, f"join_stream: {parts}")
    again = await parts_of(
        client.runs.join_stream(thread, run["run_id"], stream_mode=["updates", "values"], last_event_id=parts[0].id)
    )
    check([p.event for p in again] == ["updates", "values"], f"join_stream behind an event: {again}")


async def thread_streams():
    """The second protocol, over event streams and over WebSockets."""
    for transport in ("sse", "websocket"):
        said = {"messages": [{"type": "human", "content": "hello"}]}
        async with client.threads.stream(assistant_id="chat", transport=transport) as chat:
            started = await chat.run.start(input=said)
            check(started["run_id"], f"{transport}: run.start: {started}")
            messages = [message async for message in chat.messages]
            texts = [await message.text for message in messages]
            check(texts == ["You said: hello"], f"{transport}: messages: {texts}")
            values = await chat.output
            check(len(values["messages"]) == 2, f"{transport}: output: {values}")
        async with client.threads.stream(assistant_id="approval", transport=transport) as asking:
            await asking.run.start(input={"input": "mail"})
            while not asking.interrupted:
                await asyncio.sleep(0.01)
            check([i["value"] for i in asking.interrupts] == ["Send mail?"], f"{transport}: {asking.interrupts}")
            await asking.run.respond(True)
            values = await asking.output
            check(values["decision"] == "sent", f"{transport}: the answer: {values}")


async def items():
    await client.store.put_item(("users", "ada"), "tea", {"kind": "green", "cups": 3})
    await client.store.put_item(("users", "bob"), "tea", {"kind": "black"})
    item = await client.store.get_item(("users", "ada"), "tea")
    check(item["value"] == {"kind": "green", "cups": 3} and item["namespace"] == ["users", "ada"], f"get: {item}")
    found = await client.store.search_items(("users",), filter={"kind": "black"})
    check([i["namespace"] for i in found["items"]] == [["users", "bob"]], f"search: {found}")
    spaces = await client.store.list_namespaces(prefix=["users"])
    check(spaces["namespaces"] == [["users", "ada"], ["users", "bob"]], f"namespaces: {spaces}")
    await client.store.delete_item(("users", "ada"), "tea")
    check(await client.store.get_item(("users", "ada"), "tea") is None, "a deleted item")


async def crons():
    thread = (await client.threads.create())["thread_id"]
    end = datetime(2150, 1, 1, tzinfo=timezone.utc)
    cron = await client.crons.create_for_thread(
        thread, "slow", schedule="30 7 * * *", timezone=ZoneInfo("Europe/Berlin"), input={"delay_ms": 1},
        metadata={"team": "blue"}, end_time=end, multitask_strategy="interrupt",
    )
    check(cron["thread_id"] == thread and cron["timezone"] == "Europe/Berlin" and cron["enabled"], f"{cron}")
    check(datetime.fromisoformat(cron["end_time"]) == end, f"end_time: {cron}")
    check(datetime.fromisoformat(cron["next_run_date"]) > datetime.now(timezone.utc), f"next_run_date: {cron}")
    check(cron["payload"]["input"] == {"delay_ms": 1}, f"payload: {cron}")
    other = await client.crons.create("slow", schedule="* * * * *", enabled=False, on_run_completed="keep")
    check(other["on_run_completed"] == "keep" and other["next_run_date"] is None, f"disabled: {other}")
    found = await client.crons.search(thread_id=thread)
    check([c["cron_id"] for c in found] == [cron["cron_id"]], f"search: {found}")
    check(await client.crons.count(metadata={"team": "blue"}) == 1, "count")
    some = await client.crons.search(assistant_id=cron["assistant_id"], select=["cron_id"], sort_by="created_at", sort_order="asc")
    check(some == [{"cron_id": cron["cron_id"]}, {"cron_id": other["cron_id"]}], f"select: {some}")
    changed = await client.crons.update(cron["cron_id"], schedule="0 9 * * *", end_time=None, enabled=False)
    check(changed["schedule"] == "0 9 * * *" and changed["end_time"] is None and not changed["enabled"], f"{changed}")
    await refused(client.crons.create("slow", schedule="* * *"), 422, "a schedule that is none")
    await client.crons.delete(cron["cron_id"])
    await client.crons.delete(other["cron_id"])
    check(await client.crons.search() == [], "deleted crons")


async def many():
    thread = (await client.threads.create())["thread_id"]
    slow = await client.runs.create(thread, "slow", input={"delay_ms": 60_000})
    queued = await client.runs.create(thread, "slow", input={"delay_ms": 1})
    await client.runs.cancel_many(thread_id=thread, run_ids=[queued["run_id"]])
    in_line = [r["status"] for r in await client.runs.list(thread) if r["run_id"] == queued["run_id"]]
    check(in_line == ["interrupted"], f"a cancelled run in line: {in_line}")
    rolled = await client.runs.wait(thread, "slow", input={"delay_ms": 1}, multitask_strategy="rollback")
    check(rolled["steps"] == ["waited"], f"rollback: {rolled}")
    before = [r["status"] for r in await client.runs.list(thread) if r["run_id"] == slow["run_id"]]
    check(before == ["interrupted"], f"a run that was rolled back: {before}")
    batch = await client.runs.create_batch([{"assistant_id": "slow", "input": {"delay_ms": 1}}] * 3)
    check(len({r["run_id"] for r in batch}) == 3, f"batch: {batch}")
    pruned = await client.threads.prune([thread, str(uuid4())], strategy="delete")
    check(pruned["pruned_count"] == 1, f"prune: {pruned}")
    await refused(client.threads.get(thread), 404, "a pruned thread")


async def main():
    parts = (assistants, names, threads, runs, stateless, streams, thread_streams, questions, edits, failures,
             branches, busy, joining, rejoining, items, crons, many)
    for part in parts:
        failure = await failure_of(part)
        if failure and lists_differences:
            differences.append(f"{part.__name__}: it stops with {failure.split(':')[0]}")
        elif failure:
            return f"{part.__name__}: {failure}"
    if lists_differences:
        print("\n".join(dict.fromkeys(differences)))
    else:
        print(f"langgraph_python: {passed} checks passed")


async def failure_of(part):
    global part_name
    part_name = part.__name__
    try:
        await asyncio.wait_for(part(), 60)
    except Wrong as e:
        return str(e)
    except (APIStatusError, httpx.HTTPStatusError) as e:
        return f"{e.response.status_code}: {e} {e.response.text}"
    except TimeoutError:
        return "a timeout: it hangs"
    except Exception as e:
        if not lists_differences:
            raise
        return f"{type(e).__name__}: {e}"


failure = asyncio.run(main())
if failure:
    sys.exit(f"langgraph_python: {failure}")
