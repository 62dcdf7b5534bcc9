# The official client of MCP calls a graph as a tool, and answers what it asks: pip install mcp
# usage: mcp_client.py [URL] [graph] [arguments as JSON]
import asyncio
import json
import sys

from mcp import Client, types

url, graph, arguments = (sys.argv[1:] + ["http://localhost:8123/mcp", "hello", '{"who": "Ada"}'][len(sys.argv) - 1:])[:3]


async def ask(context, question):
    answer = input(question.message + " ")
    return types.ElicitResult(action="accept", content={"answer": answer == "yes" or answer})


async def main():
    async with Client(url, elicitation_callback=ask) as client:
        result = await client.call_tool(graph, json.loads(arguments))
        print(result.content[0].text)


asyncio.run(main())
