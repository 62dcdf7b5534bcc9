"""A question of an agent behind another agent, answered by A2A's own client.

usage: a2a_chain.py <url of a server whose agent asks another one>
"""

import asyncio
import sys

from a2a.client import ClientConfig, create_client
from a2a.helpers.proto_helpers import get_artifact_text, get_data_parts, new_text_message
from a2a.types import Role, SendMessageRequest, TaskState


async def send(client, words, task=None):
    message = new_text_message(words, role=Role.ROLE_USER)
    if task:
        message.task_id = task
    return [event async for event in client.send_message(SendMessageRequest(message=message))][-1].task


async def main():
    client = await create_client(sys.argv[1], client_config=ClientConfig(streaming=False))
    asked = await send(client, "ask me")
    assert asked.status.state == TaskState.TASK_STATE_INPUT_REQUIRED, asked
    question = get_data_parts(asked.status.message.parts)[0]["questions"][0]
    assert question["text"] == "Shall I?" and question["schema"]["type"] == "boolean", question
    answered = await send(client, "yes", asked.id)
    assert answered.status.state == TaskState.TASK_STATE_COMPLETED, answered
    assert get_artifact_text(answered.artifacts[0]) == "You say yes", answered
    await client.close()


asyncio.run(main())
