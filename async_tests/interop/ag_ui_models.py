"""The models of ag-ui-protocol read every event that a server of weft sends, and know every field of it.

usage: ag_ui_models.py <url>
"""

import json
import sys
import urllib.request
import uuid

from ag_ui.core import Event, RunAgentInput
from pydantic import BaseModel, TypeAdapter

url = sys.argv[1]
events_of = TypeAdapter(Event)
seen = set()


def check(is_right, what, shown):
    if not is_right:
        raise SystemExit(f"{what}: {shown}")


def unknown_fields(model, path=""):
    """Models keep what they do not know; here nothing is unknown."""
    if isinstance(model, BaseModel):
        if model.model_extra:
            yield f"{path}: {sorted(model.model_extra)}"
        for name in type(model).model_fields:
            yield from unknown_fields(getattr(model, name), f"{path}.{name}")
    elif isinstance(model, list):
        for i, item in enumerate(model):
            yield from unknown_fields(item, f"{path}[{i}]")


def run(agent, thread, messages, **more):
    request = RunAgentInput(thread_id=thread, run_id=str(uuid.uuid4()), protocol_version="1.0", messages=messages,
                            tools=[], context=[], forwarded_props={}, **more)
    body = request.model_dump_json(by_alias=True).encode()
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    events = []
    with urllib.request.urlopen(urllib.request.Request(f"{url}/ag-ui/{agent}", body, headers)) as answer:
        for line in answer.read().decode().split("\n"):
            if not line.startswith("data: "):
                check(line == "" or line.startswith(":"), "a line of no event", line)
                continue
            event = events_of.validate_json(line[6:])
            unknown = list(unknown_fields(event))
            check(not unknown, "unknown fields", unknown)
            again = json.loads(event.model_dump_json(by_alias=True))
            check(again == json.loads(line[6:]), "not the same when written again", (again, line))
            events.append(event)
            seen.add(event.type.value)
    return events


def user(text):
    return {"id": str(uuid.uuid4()), "role": "user", "content": text}


thread = str(uuid.uuid4())
first = user("ask")
asked = run("assistant", thread, [first])[-1]
interrupt = asked.outcome.interrupts[0]
run("assistant", thread, [first], resume=[{"interrupt_id": interrupt.id, "status": "resolved", "payload": True}])
run("chat", str(uuid.uuid4()), [user("hello")])
run("echo", str(uuid.uuid4()), [user("x" * 200)])
run("failing", str(uuid.uuid4()), [])
told = run("tools", str(uuid.uuid4()), [user("where, and add, again")])
check(told[-1].outcome.pending_tool_call_ids, "pending", told[-1])
picture = {"type": "image", "source": {"type": "data", "value": "aGk=", "mime_type": "image/png"}}
shown = run("chat", str(uuid.uuid4()),
            [{"id": "p", "role": "user", "content": [{"type": "text", "text": "look"}, picture]}])
snapshot = next(e for e in shown if e.type.value == "MESSAGES_SNAPSHOT")
check(snapshot.messages[0].content[1].source.value == "aGk=", "picture", snapshot)

wanted = {"RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "STEP_STARTED", "STEP_FINISHED", "STATE_SNAPSHOT", "STATE_DELTA",
          "MESSAGES_SNAPSHOT", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "TOOL_CALL_START",
          "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT", "CUSTOM"}
check(wanted <= seen, "kinds that never came", wanted - seen)
print(f"{len(seen)} kinds of events are read by ag-ui-protocol")
