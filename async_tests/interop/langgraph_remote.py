"""LangGraph's RemoteGraph against a server of weft. usage: langgraph_remote.py <url>"""

import sys
from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Command
from langgraph_sdk import get_sync_client

url = sys.argv[1]
client = get_sync_client(url=url, api_key=None)
passed = 0


def check(is_good, what):
    global passed
    if not is_good:
        sys.exit(f"langgraph_remote: {what}")
    passed += 1


def in_thread():
    return {"configurable": {"thread_id": client.threads.create()["thread_id"]}}


def runs():
    slow = RemoteGraph("slow", url=url)
    done = slow.invoke({"delay_ms": 1})
    check(done == {"delay_ms": 1, "steps": ["waited"]}, f"invoke: {done}")
    parts = list(slow.stream({"delay_ms": 1}, stream_mode="updates"))
    check(parts == [{"wait": {"steps": ["waited"]}}], f"stream: {parts}")
    drawn = slow.get_graph()
    check(set(drawn.nodes) == {"__start__", "wait", "__end__"}, f"nodes: {drawn.nodes}")
    check({(e.source, e.target) for e in drawn.edges} == {("__start__", "wait"), ("wait", "__end__")}, f"{drawn.edges}")


def threads():
    slow = RemoteGraph("slow", url=url)
    config = in_thread()
    slow.invoke({"delay_ms": 1}, config=config)
    state = slow.get_state(config)
    check(state.values == {"delay_ms": 1, "steps": ["waited"]} and state.next == (), f"get_state: {state}")
    changed = slow.update_state(config, {"delay_ms": 7})
    check(slow.get_state(config).values["delay_ms"] == 7, f"update_state: {changed}")
    history = list(slow.get_state_history(config))
    check([s.values["delay_ms"] for s in history][:2] == [7, 1], f"get_state_history: {history}")


def questions():
    approval = RemoteGraph("approval", url=url)
    config = in_thread()
    asked = approval.invoke({"input": "it"}, config=config)
    check(asked["__interrupt__"][0]["value"] == "Send it?", f"a question: {asked}")
    check(approval.get_state(config).next == ("review",), "the node that waits")
    done = approval.invoke(Command(resume=True), config=config)
    check("__interrupt__" not in done and done["input"] == "it", f"an answer: {done}")


class outer_state(TypedDict):
    delay_ms: int
    steps: list


def nested():
    builder = StateGraph(outer_state)
    builder.add_node("remote", RemoteGraph("slow", url=url))
    builder.add_edge(START, "remote")
    builder.add_edge("remote", END)
    done = builder.compile().invoke({"delay_ms": 1, "steps": []})
    check(done["steps"] == ["waited"], f"a remote graph as a node: {done}")


for part in (runs, threads, questions, nested):
    part()
print(f"langgraph_remote: {passed} checks passed")
