"""The graph of `weft_bench --serve`: two nodes, each of which writes a text."""

from typing import TypedDict

from langgraph.graph import END, START, StateGraph


class State(TypedDict, total=False):
    input: str
    output: str


def first(state: State) -> State:
    return {"output": "a " + state["input"]}


def second(state: State) -> State:
    return {"output": state["output"] + " b"}


builder = StateGraph(State)
builder.add_node("first", first)
builder.add_node("second", second)
builder.add_edge(START, "first")
builder.add_edge("first", "second")
builder.add_edge("second", END)
graph = builder.compile()
