"""The official client in Python against a server of weft.
usage: mcp_clients.py http <url>
       mcp_clients.py stdio <command…>"""

import asyncio
import sys

from mcp import Client, StdioServerParameters, types

passed = 0


def check(is_right, what, seen):
    global passed
    if not is_right:
        raise AssertionError(f"{what}: {seen!r}")
    passed += 1


async def accept(context, params):
    return types.ElicitResult(action="accept", content={"answer": True})


async def use_graphs(server, mode):
    steps = []

    async def on_progress(progress, total, message):
        steps.append(message)

    async with Client(server, mode=mode, elicitation_callback=accept) as client:
        tools = (await client.list_tools()).tools
        check("echo" in [tool.name for tool in tools], mode + " tools", tools)
        said = await client.call_tool("echo", {"input": "hello"}, progress_callback=on_progress)
        check(said.structured_content["steps"] == ["first hello", "second"], mode + " call", said)
        check(steps == ["first", "first: done", "second", "second: done"], mode + " progress", steps)
        asked = await client.call_tool("approval", {"input": "the letter"})
        check(asked.structured_content["decision"] == "sent", mode + " question", asked)
        failed = await client.call_tool("failing", {"input": "x"})
        check(failed.is_error and "it broke" in failed.content[0].text, mode + " failure", failed)


async def use_files(server, mode):
    """The graph files that `weft mcp` is started with."""
    async with Client(server, mode=mode) as client:
        said = await client.call_tool("hello", {"who": "Ada"})
        check(said.structured_content["text"] == "Hello, Ada", mode + " call", said)


async def main():
    how, *where = sys.argv[1:]
    server = where[0] if how == "http" else StdioServerParameters(command=where[0], args=where[1:])
    for mode in ("legacy", "auto"):
        await (use_graphs if how == "http" else use_files)(server, mode)
    print(f"mcp_clients.py: {passed} checks")


asyncio.run(main())
