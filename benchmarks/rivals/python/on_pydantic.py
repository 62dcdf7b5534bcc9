"""pydantic-graph: GraphBuilder with steps; and Agent of pydantic-ai."""

import asyncio

from pydantic_ai import Agent, Tool, UsageLimits
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.usage import RequestUsage
from pydantic_graph import GraphBuilder, StepContext, reduce_sum

from measure import require

name = "pydantic"
title = "pydantic-graph, pydantic-ai"

Context = StepContext[None, None, int]


def chain_of(count, step):
    builder = GraphBuilder(input_type=int, output_type=int, name="chain")
    nodes = [builder.step(step, node_id=f"node {i}") for i in range(count)]
    edges = zip([builder.start_node, *nodes], [*nodes, builder.end_node])
    builder.add(*(builder.edge_from(source).to(target) for source, target in edges))
    return builder.build()


def runs_of(graph, visits):
    async def run():
        require(await graph.run(inputs=0) == visits, "a run did not visit every node")

    return run


async def visit(context: Context) -> int:
    return context.inputs + 1


def chain(count):
    return runs_of(chain_of(count, visit), count)


def fan_out(branches, delay):
    async def branch(context: Context) -> int:
        if delay:
            await asyncio.sleep(delay)
        return context.inputs + 1

    async def split(context: Context) -> int:
        return context.inputs

    builder = GraphBuilder(input_type=int, output_type=int, name="fan")
    first = builder.step(split, node_id="split")
    join = builder.join(reduce_sum, initial=0, node_id="join")
    nodes = [builder.step(branch, node_id=f"branch {i}") for i in range(branches)]
    builder.add(
        builder.edge_from(builder.start_node).to(first),
        builder.edge_from(first).to(*nodes),
        builder.edge_from(*nodes).to(join),
        builder.edge_from(join).to(builder.end_node),
    )
    return runs_of(builder.build(), branches)


def waiting(waits):
    async def step(context: Context) -> int:
        if context.inputs == 0:
            waits.begun += 1
        await asyncio.sleep(waits.next())
        return context.inputs + 1

    return runs_of(chain_of(3, step), 3)


def build(count):
    chain_of(count, visit)


def turns(shape):
    async def reply(messages, _info):
        if shape.delay:
            await asyncio.sleep(shape.delay)
        turn = sum(isinstance(one, ModelResponse) for one in messages)
        parts = [TextPart(shape.answer)]
        if turn + 1 < shape.turns:
            parts = [ToolCallPart(shape.tool, shape.arguments(turn), f"call-{turn}")]
        return ModelResponse(parts=parts, usage=RequestUsage(input_tokens=20, output_tokens=10))

    async def look_by_number(x: int) -> str:
        return shape.result({"x": x})

    async def look_by_city(city: str) -> str:
        return shape.result({"city": city})

    look = look_by_city if "city" in shape.arguments(0) else look_by_number
    tool = Tool(look, name=shape.tool, description="Looks.", takes_ctx=False)
    agent = Agent(FunctionModel(reply), system_prompt=shape.system, tools=[tool])
    before = [ModelRequest(parts=[UserPromptPart(text)]) for text in shape.before]
    limits = UsageLimits(request_limit=shape.turns)

    async def run():
        result = await agent.run(shape.question, message_history=before or None, usage_limits=limits)
        require(result.output == shape.answer, "an agent did not answer")
        said = result.new_messages()
        require(sum(isinstance(one, ModelResponse) for one in said) == shape.turns, "an agent took other turns")
        require(said[-2].parts[0].content == shape.result(shape.arguments(shape.turns - 2)), "a tool was not called")

    return run
