"""The WebSockets of a server of weft as the package `websockets` sees them.
usage: websocket.py <url of langgraph_server>"""

import asyncio
import json
import sys
import uuid

import websockets
from websockets.asyncio.client import connect

base = sys.argv[1].replace("http://", "ws://")
passed = 0


class Wrong(Exception):
    pass


def check(is_right, what):
    global passed
    if not is_right:
        raise Wrong(what)
    passed += 1


def thread():
    return f"{base}/threads/{uuid.uuid4()}/stream/events"


def command(number, method="agent.getTree", **params):
    return json.dumps({"id": number, "method": method, "params": params}, ensure_ascii=False)


async def answers(socket, number):
    answer = json.loads(await socket.recv())
    check(answer["type"] == "success" and answer["id"] == number, f"the answer to {number}: {answer}")


async def messages():
    async with connect(thread()) as socket:
        check("Sec-WebSocket-Extensions" not in socket.response.headers, "no compression was agreed on")
        await socket.send(command(1))
        await answers(socket, 1)
        whole = command(2)
        await socket.send([whole[:10], whole[10:11], "", whole[11:]])
        await answers(socket, 2)
        await socket.send(command(3, filler="ä" * 400_000))
        await answers(socket, 3)
        for number in range(4, 1004):
            await socket.send(command(number))
        for number in range(4, 1004):
            await answers(socket, number)
        await asyncio.wait_for(await socket.ping(b"there?"), 5)
        await socket.close(4000, "enough")
        check(socket.close_code == 4000, f"the close: {socket.close_code} {socket.close_reason}")


async def events():
    async with connect(thread()) as socket:
        await socket.send(command(1, "subscription.subscribe", channels=["values", "lifecycle"]))
        await answers(socket, 1)
        await socket.send(command(2, "run.start", assistant_id="echo", input={"input": "x"}))
        seen = []
        while not seen or seen[-1]["params"]["data"].get("event") != "completed":
            message = json.loads(await asyncio.wait_for(socket.recv(), 10))
            if message["type"] == "event":
                seen.append(message)
        check(any(e["params"]["data"].get("steps") == ["first x", "second"] for e in seen), f"events: {seen}")
        check(len({e["event_id"] for e in seen}) == len(seen), "an event comes once")


async def closed_with(sent, code, what):
    async with connect(thread()) as socket:
        await socket.send(sent)
        try:
            await asyncio.wait_for(socket.recv(), 5)
            raise Wrong(f"{what}: it was answered")
        except websockets.ConnectionClosed as closed:
            check(closed.rcvd and closed.rcvd.code == code, f"{what}: {closed}")


async def refusals():
    await closed_with(b"bytes", 1003, "a binary message")
    await closed_with("x" * (1024 * 1024 + 1), 1009, "a message that is too large")
    await closed_with(["y" * 600_000, "y" * 600_000], 1009, "a message in frames that is too large")
    try:
        async with connect(base + "/threads/t/nothing"):
            raise Wrong("there is something at /threads/t/nothing")
    except websockets.InvalidStatus as refused:
        check(refused.response.status_code == 404, f"a path without a WebSocket: {refused}")


async def main():
    for part in (messages, events, refusals):
        try:
            await asyncio.wait_for(part(), 60)
        except Wrong as e:
            return f"{part.__name__}: {e}"
        except TimeoutError:
            return f"{part.__name__}: it hangs"
    print(f"websocket: {passed} checks passed")


failure = asyncio.run(main())
if failure:
    sys.exit(f"websocket: {failure}")
