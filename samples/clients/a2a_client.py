"""The official client of A2A talks with a graph that `weft serve` has: pip install a2a-sdk

usage: a2a_client.py [url of the agent] [words]
"""

import asyncio
import sys

from a2a.client import create_client
from a2a.helpers.proto_helpers import get_stream_response_text, new_text_message
from a2a.types import Role, SendMessageRequest

url = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8123"
words = sys.argv[2] if len(sys.argv) > 2 else "Hello"


async def main():
    client = await create_client(url)
    request = SendMessageRequest(message=new_text_message(words, role=Role.ROLE_USER))
    async for event in client.send_message(request):  # the task, its states, pieces of its output
        print(get_stream_response_text(event), end="", flush=True)
    print()
    await client.close()


asyncio.run(main())
