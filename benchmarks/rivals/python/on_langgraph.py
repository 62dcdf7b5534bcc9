"""LangGraph: StateGraph with async nodes, and create_agent of LangChain."""

import asyncio
import operator
from typing import Annotated, TypedDict

from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool
from langgraph.graph import END, START, StateGraph

from measure import require

name = "langgraph"
title = "LangGraph"


class State(TypedDict):
    visits: Annotated[int, operator.add]


def chain_of(count, node):
    builder = StateGraph(State)
    previous = START
    for i in range(count):
        builder.add_node(f"node {i}", node)
        builder.add_edge(previous, f"node {i}")
        previous = f"node {i}"
    builder.add_edge(previous, END)
    return builder.compile()


def runs_of(graph, visits, limit=25):
    config = {"recursion_limit": limit}

    async def run():
        state = await graph.ainvoke({"visits": 0}, config)
        require(state["visits"] == visits, "a run did not visit every node")

    return run


async def visit(_state):
    return {"visits": 1}


def chain(count):
    return runs_of(chain_of(count, visit), count)


def fan_out(branches, delay):
    async def branch(_state):
        if delay:
            await asyncio.sleep(delay)
        return {"visits": 1}

    async def nothing(_state):
        return {}

    builder = StateGraph(State)
    builder.add_node("split", nothing)
    builder.add_node("join", nothing)
    builder.add_edge(START, "split")
    names = [f"branch {i}" for i in range(branches)]
    for one in names:
        builder.add_node(one, branch)
        builder.add_edge("split", one)
    builder.add_edge(names, "join")
    builder.add_edge("join", END)
    return runs_of(builder.compile(), branches)


def waiting(waits):
    async def node(state):
        if state["visits"] == 0:
            waits.begun += 1
        await asyncio.sleep(waits.next())
        return {"visits": 1}

    return runs_of(chain_of(3, node), 3)


def build(count):
    chain_of(count, visit)


class TurningModel(BaseChatModel):
    shape: object

    @property
    def _llm_type(self):
        return "turning"

    def bind_tools(self, _tools, **_others):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **_others):
        raise NotImplementedError("this model is asked by coroutines")

    async def _agenerate(self, messages, stop=None, run_manager=None, **_others):
        if self.shape.delay:
            await asyncio.sleep(self.shape.delay)
        turn = (len(messages) - 2 - len(self.shape.before)) // 2
        usage = {"input_tokens": 20, "output_tokens": 10, "total_tokens": 30}
        message = AIMessage(content=self.shape.answer, usage_metadata=usage)
        if turn + 1 < self.shape.turns:
            call = {"id": f"call-{turn}", "name": self.shape.tool, "args": self.shape.arguments(turn)}
            message = AIMessage(content="", tool_calls=[call], usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=message)])


def turns(shape):
    async def look(**arguments):
        return shape.result(arguments)

    kinds = {str: "string", int: "integer"}
    properties = {key: {"type": kinds[type(value)]} for key, value in shape.arguments(0).items()}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    tool = StructuredTool.from_function(coroutine=look, name=shape.tool, description="Looks.", args_schema=schema)
    agent = create_agent(TurningModel(shape=shape), [tool], system_prompt=shape.system)
    talk = [{"role": "user", "content": text} for text in [*shape.before, shape.question]]
    config = {"recursion_limit": 4 * shape.turns + 10}

    async def run():
        state = await agent.ainvoke({"messages": talk}, config)
        found = state["messages"]
        require(len(found) == len(talk) + 2 * shape.turns - 1, "an agent took another number of turns")
        require(found[-1].content == shape.answer, "an agent did not answer")
        require(found[-2].content == shape.result(shape.arguments(shape.turns - 2)), "a tool was not called")

    return run
