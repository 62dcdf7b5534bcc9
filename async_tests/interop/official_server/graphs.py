"""The graphs of langgraph_server.cpp for LangGraph's own server, so that one script can be run against both."""

import asyncio
import operator
from typing import Annotated, TypedDict

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt


class EchoState(TypedDict, total=False):
    input: str
    steps: Annotated[list[str], operator.add]


class ChatState(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]


class ApprovalState(TypedDict, total=False):
    input: str
    decision: str


class InputState(TypedDict, total=False):
    input: str


class SlowState(TypedDict, total=False):
    delay_ms: int
    steps: Annotated[list[str], operator.add]


def graph_of(state, name, **nodes):
    """Nodes one after the other."""
    builder = StateGraph(state)
    before = START
    for node, function in nodes.items():
        builder.add_node(node, function)
        builder.add_edge(before, node)
        before = node
    builder.add_edge(before, END)
    return builder.compile(name=name)


async def talk(state):
    heard = state["messages"][-1].text
    model = GenericFakeChatModel(messages=iter([AIMessage(content="You said: " + heard)]))  # it gives word by word
    said = await model.ainvoke(state["messages"])
    get_stream_writer()({"done": True})
    return {"messages": [said]}


def review(state):
    answer = interrupt(f"Send {state['input']}?")
    return {"decision": "sent" if answer else "dropped"}


def fail(state):
    raise RuntimeError("it broke")


async def wait(state):
    await asyncio.sleep(state["delay_ms"] / 1000)
    return {"steps": ["waited"]}


async def answer(state):
    heard = state["messages"][-1].text
    said = "You said: " + heard
    if heard.startswith("ask"):
        said = "You say yes" if interrupt("Shall I?") else "You say no"
    return {"messages": [AIMessage(content=said)]}


echo = graph_of(
    EchoState,
    "echo",
    first=lambda state: {"steps": ["first " + state["input"]]},
    second=lambda state: {"steps": ["second"]},
)
chat = graph_of(ChatState, "chat", talk=talk)
approval = graph_of(ApprovalState, "approval", review=review)
failing = graph_of(InputState, "failing", **{"break": fail})
slow = graph_of(SlowState, "slow", wait=wait)
assistant = graph_of(ChatState, "assistant", answer=answer)
