"""A2A's official client in Python against a server of weft, over both bindings and in the dialect of 0.3.

usage: a2a_python.py <url>
"""

import asyncio
import sys
from uuid import uuid4

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.client.card_resolver import A2ACardResolver
from a2a.helpers.proto_helpers import get_artifact_text, get_data_parts, new_data_message, new_text_message
from a2a.types import (
    AgentCard,
    AgentInterface,
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.errors import A2AError, InvalidParamsError, TaskNotCancelableError, TaskNotFoundError
from a2a.utils.errors import UnsupportedOperationError

url = sys.argv[1]
passed = 0


def check(is_right, what):
    global passed
    assert is_right, what
    passed += 1


async def refused(call, kind, what):
    try:
        await call
    except A2AError as e:
        check(isinstance(e, kind), f"{what}: {type(e).__name__}: {e}")
        return e
    check(False, f"{what}: it was not refused")


async def events_of(stream):
    return [event async for event in stream]


def kind_of(event):
    return event.WhichOneof("payload")


def said(text, **more):
    return SendMessageRequest(message=new_text_message(text, role=Role.ROLE_USER, **more))


class Agent:
    """A client of one agent, that streams or not."""

    def __init__(self, card, binding, streams=True, version="1.0"):
        only = AgentCard()
        only.CopyFrom(card)
        del only.supported_interfaces[:]
        for one in card.supported_interfaces:
            if one.protocol_binding == binding and one.protocol_version == version:
                only.supported_interfaces.append(AgentInterface())
                only.supported_interfaces[-1].CopyFrom(one)
        assert only.supported_interfaces, f"no interface {binding} {version} in the card"
        self.http = httpx.AsyncClient(timeout=15)
        config = ClientConfig(streaming=streams, httpx_client=self.http, supported_protocol_bindings=[binding])
        self.client = ClientFactory(config).create(only)

    async def send(self, request):
        """What comes last: of a client that does not stream the task."""
        return (await events_of(self.client.send_message(request)))[-1]


async def card_of(agent):
    async with httpx.AsyncClient() as http:
        return await A2ACardResolver(http, f"{url}/a2a/{agent}").get_agent_card()


async def streaming(binding, version):
    chat = Agent(await card_of("chat"), binding, version=version)
    events = await events_of(chat.client.send_message(said("hello")))
    kinds = [kind_of(event) for event in events]
    check(kinds[0] == "task", f"{kinds}")
    check(events[0].task.history[0].parts[0].text == "hello", f"history: {events[0].task}")
    pieces = [e.artifact_update for e in events if kind_of(e) == "artifact_update"]
    text = "".join(p.artifact.parts[0].text for p in pieces)
    check(text == "You said: hello", f"pieces: {text}")
    check([p.append for p in pieces] == [False, True, True, True], f"append: {pieces}")
    check([p.last_chunk for p in pieces] == [False, False, False, True], f"last chunk: {pieces}")
    told = [e.status_update for e in events if kind_of(e) == "status_update"]
    check(told[0].status.state == TaskState.TASK_STATE_WORKING, f"states: {told}")
    check(told[-1].status.state == TaskState.TASK_STATE_COMPLETED, f"states: {told}")
    progress = [t.metadata["data"] for t in told if "event" in t.metadata and t.metadata["event"] == "progress"]
    check(len(progress) == 1 and progress[0]["done"], f"what nodes tell: {told}")
    task = await chat.client.get_task(GetTaskRequest(id=events[0].task.id))
    check(get_artifact_text(task.artifacts[0]) == text, f"the task afterwards: {task}")
    check(task.context_id == events[0].task.context_id, "the context stays")
    # The next message of the context knows the first one.
    again = await chat.send(said("again", context_id=task.context_id))
    check(again.status_update.context_id == task.context_id, f"the same context: {again}")


async def questions(binding, version):
    asking = Agent(await card_of("assistant"), binding, streams=False, version=version)
    asked = (await asking.send(said("ask me"))).task
    check(asked.status.state == TaskState.TASK_STATE_INPUT_REQUIRED, f"it asks: {asked}")
    question = get_data_parts(asked.status.message.parts)[0]["questions"][0]
    check(asked.status.message.parts[0].text == "Shall I?", f"the question: {asked.status}")
    check(question["schema"]["type"] == "boolean", f"its schema: {question}")
    wrong = said("perhaps", task_id=asked.id, context_id=asked.context_id)
    await refused(asking.send(wrong), InvalidParamsError, "an answer that does not fit")
    named = {"answers": {"r0/none#1/ask#0": True}}
    stale = SendMessageRequest(message=new_data_message(named, task_id=asked.id, role=Role.ROLE_USER))
    await refused(asking.send(stale), InvalidParamsError, "an answer to another question")
    answer = said("yes", task_id=asked.id, context_id=asked.context_id)
    answered = (await asking.send(answer)).task
    check(answered.status.state == TaskState.TASK_STATE_COMPLETED, f"it goes on: {answered}")
    check(get_artifact_text(answered.artifacts[0]) == "You say yes", f"{answered}")
    late = said("no", task_id=asked.id, context_id=asked.context_id)
    await refused(asking.send(late), UnsupportedOperationError, "an answer to a task that is over")
    # The same message again is no second answer.
    same = (await asking.send(answer)).task
    check(same.id == asked.id and get_artifact_text(same.artifacts[0]) == "You say yes", f"again: {same}")


async def control(binding):
    slow = Agent(await card_of("slow"), binding)
    await refused(slow.client.get_task(GetTaskRequest(id="none")), TaskNotFoundError, "an unknown task")
    data = SendMessageRequest(message=new_data_message({"delay_ms": 60000}, role=Role.ROLE_USER))
    stream = slow.client.send_message(data)
    first = await anext(stream)
    await stream.aclose()  # a client that goes away
    task = first.task.id
    working = await slow.client.get_task(GetTaskRequest(id=task))
    check(working.status.state == TaskState.TASK_STATE_WORKING, f"it goes on: {working.status}")
    joined = slow.client.subscribe(SubscribeToTaskRequest(id=task))
    check((await anext(joined)).task.id == task, "a stream that is joined begins with the task")
    listed = await slow.client.list_tasks(ListTasksRequest(context_id=working.context_id))
    check([t.id for t in listed.tasks] == [task] and listed.total_size == 1, f"list: {listed}")
    cancelled = await slow.client.cancel_task(CancelTaskRequest(id=task))
    check(cancelled.status.state == TaskState.TASK_STATE_CANCELED, f"cancelled: {cancelled}")
    rest = await events_of(joined)
    check(rest[-1].status_update.status.state == TaskState.TASK_STATE_CANCELED, f"its stream: {rest}")
    await refused(slow.client.cancel_task(CancelTaskRequest(id=task)), TaskNotCancelableError, "a second time")
    await refused(anext(slow.client.subscribe(SubscribeToTaskRequest(id=task))), UnsupportedOperationError,
                  "a task that is over has no stream")
    short = SendMessageRequest(message=new_data_message({"delay_ms": 300}, role=Role.ROLE_USER))
    short.configuration.return_immediately = True
    plain = Agent(await card_of("slow"), binding, streams=False)
    at_once = (await plain.send(short)).task
    check(at_once.status.state == TaskState.TASK_STATE_SUBMITTED, f"at once: {at_once}")
    done = await events_of(slow.client.subscribe(SubscribeToTaskRequest(id=at_once.id)))
    output = [e.artifact_update for e in done if kind_of(e) == "artifact_update"][-1]
    check(get_data_parts(output.artifact.parts)[0]["steps"] == ["waited"], f"values: {output}")


async def pages(binding):
    chat = Agent(await card_of("echo"), binding, streams=False)
    for _ in range(3):
        await chat.send(said("x"))
    seen = []
    token = ""
    while True:
        page = await chat.client.list_tasks(ListTasksRequest(page_size=2, page_token=token, include_artifacts=True))
        seen += [t.id for t in page.tasks]
        check(all(t.artifacts for t in page.tasks), f"artifacts: {page}")
        token = page.next_page_token
        if not token:
            break
    check(len(seen) == len(set(seen)) == page.total_size >= 3, f"pages: {seen} of {page.total_size}")


async def failures(binding):
    failing = Agent(await card_of("failing"), binding, streams=False)
    failed = (await failing.send(said("x"))).task
    check(failed.status.state == TaskState.TASK_STATE_FAILED, f"failed: {failed}")
    check("it broke" in failed.status.message.parts[0].text, f"why: {failed.status}")
    empty = SendMessageRequest()
    empty.message.message_id = str(uuid4())
    empty.message.role = Role.ROLE_USER
    wrong = await refused(failing.send(empty), InvalidParamsError, "a message without parts")
    check("message.parts" in str(wrong), f"the place: {wrong}")
    config = TaskPushNotificationConfig(task_id=failed.id, url="http://10.0.0.1/hook")
    await refused(failing.client.create_task_push_notification_config(config), InvalidParamsError,
                  "a URL that is not public")


async def forks(binding):
    chat = Agent(await card_of("chat"), binding, streams=False)
    first = (await chat.send(said("one"))).task
    second = (await chat.send(said("two", context_id=first.context_id))).task
    fork = said("three")
    fork.message.reference_task_ids.append(first.id)
    forked = (await chat.send(fork)).task
    check(forked.context_id == first.context_id, "a fork stays in the context of its source")
    async with httpx.AsyncClient() as http:
        state = (await http.get(f"{url}/threads/{first.context_id}/state")).json()
    heard = [m["content"] for m in state["values"]["messages"] if m["type"] == "human"]
    check(heard == ["one", "three"], f"it knows its source, and not '{second.id}': {heard}")


async def root():
    async with httpx.AsyncClient() as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        check({s.id for s in card.skills} >= {"chat", "echo", "assistant"}, f"skills: {card}")
        answer = await http.get(f"{url}/.well-known/agent-card.json")
        same = await http.get(f"{url}/.well-known/agent-card.json", headers={"if-none-match": answer.headers["etag"]})
        check(same.status_code == 304, "a card that is known")
    agent = Agent(card, "JSONRPC", streams=False)
    await refused(agent.send(said("x")), InvalidParamsError, "a message for no agent")
    meant = said("hello")
    meant.message.metadata["skill"] = "chat"
    check(get_artifact_text((await agent.send(meant)).task.artifacts[0]) == "You said: hello", "the agent of a skill")


async def main():
    await root()
    for binding, version in (("JSONRPC", "1.0"), ("HTTP+JSON", "1.0"), ("JSONRPC", "0.3")):
        await streaming(binding, version)
        await questions(binding, version)
    for binding in ("JSONRPC", "HTTP+JSON"):
        await control(binding)
        await pages(binding)
        await failures(binding)
        await forks(binding)
    print(f"{passed} checks passed")


asyncio.run(main())
