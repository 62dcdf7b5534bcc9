# OpenAI's client in Python against a server of weft.
# usage: openai_clients.py <base URL>
import asyncio
import json
import sys

import httpx
import openai

url = sys.argv[1]
client = openai.OpenAI(base_url=url, api_key="key", max_retries=0)
checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        raise SystemExit(f"failed: {what}")


def refused(kind, call, code, param=None):
    try:
        call()
    except kind as error:
        check(error.code == code, f"code {error.code} for {code}: {error}")
        check(error.param == param, f"param {error.param} for {param}")
        return
    check(False, f"{code} is not refused")


def user(text):
    return [{"role": "user", "content": text}]


def models():
    names = [model.id for model in client.models.list()]
    check(names == ["chat", "asking", "plain", "remote", "helper"], names)
    check(client.models.retrieve("plain").owned_by == "weft", "one model")
    refused(openai.NotFoundError, lambda: client.models.retrieve("none"), "model_not_found", "model")


weather = {"name": "get_weather", "parameters": {"type": "object", "properties": {"location": {"type": "string"}}}}


def completions():
    whole = client.chat.completions.create(model="chat", messages=user("hello"))
    check(whole.choices[0].message.content == "You said: hello (1)", whole)
    check(whole.usage.total_tokens == 12 and whole.usage.prompt_tokens_details.cached_tokens == 2, whole.usage)
    chunks = list(
        client.chat.completions.create(
            model="chat", messages=user("hello"), stream=True, stream_options={"include_usage": True}
        )
    )
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    check(text == "You said: hello (1)", text)
    check(chunks[-1].usage.completion_tokens == 3 and chunks[-2].choices[0].finish_reason == "stop", chunks[-1])
    with client.chat.completions.stream(model="chat", messages=user("count 3")) as stream:
        check(stream.get_final_completion().choices[0].message.content == "1 2 3 ", "helper of streams")
    said = user("the weather?")
    tools = [{"type": "function", "function": weather}]
    called = client.chat.completions.create(model="chat", messages=said, tools=tools).choices[0]
    check(called.finish_reason == "tool_calls", called)
    call = called.message.tool_calls[0]
    check(json.loads(call.function.arguments) == {"location": "Paris"}, call)
    said += [called.message, {"role": "tool", "tool_call_id": call.id, "content": "sunny"}]
    told = client.chat.completions.create(model="chat", messages=said, tools=tools)
    check(told.choices[0].message.content == "The tool says sunny", told)
    with client.chat.completions.stream(model="chat", messages=user("the weather?"), tools=tools) as stream:
        final = stream.get_final_completion().choices[0]
        check(final.message.tool_calls[0].function.name == "get_weather", final)


def completion_errors():
    create = client.chat.completions.create
    refused(openai.BadRequestError, lambda: create(model="chat", messages=user("x"), n=2), "unsupported_value", "n")
    refused(
        openai.BadRequestError, lambda: create(model="chat", messages=user("x"), logprobs=True), "unsupported_value",
        "logprobs",
    )
    refused(openai.NotFoundError, lambda: create(model="none", messages=user("x")), "model_not_found", "model")
    refused(openai.InternalServerError, lambda: create(model="chat", messages=user("fail")), "node_failed")
    try:
        list(create(model="chat", messages=user("fail"), stream=True))
        check(False, "a run that fails ends its stream as if it had not")
    except openai.APIError as error:
        check(error.code == "node_failed", error)


def questions():
    said = user("order")
    ask = {"model": "asking", "metadata": {"thread_id": "python-1"}}
    called = client.chat.completions.create(messages=said, **ask).choices[0].message
    question = json.loads(called.tool_calls[0].function.arguments)
    check(question["question"] == "Which plan?" and question["answer_schema"]["enum"] == ["small", "large"], question)
    said += [called, {"role": "tool", "tool_call_id": called.tool_calls[0].id, "content": "large"}]
    told = client.chat.completions.create(messages=said, **ask)
    check(told.choices[0].message.content == "It is the large one", told)
    refused(
        openai.BadRequestError, lambda: client.chat.completions.create(messages=said, **ask), "tool_call_not_found",
        "messages[2]",
    )
    asked = client.responses.create(model="asking", input="order")
    output = {"type": "function_call_output", "call_id": asked.output[0].call_id, "output": "small"}
    answer = {"model": "asking", "previous_response_id": asked.id, "input": [output]}
    check(client.responses.create(**answer).output_text == "It is the small one", "answer by a response")
    refused(openai.BadRequestError, lambda: client.responses.create(**answer), "tool_call_not_found", "input[0]")


def responses():
    made = client.responses.create(model="chat", input="hello", metadata={"team": "blue"}, instructions="Pirate")
    check(made.output_text == "Pirate: You said: hello (1)" and made.status == "completed", made)
    again = client.responses.retrieve(made.id)
    check(again.output_text == made.output_text and again.metadata == {"team": "blue"}, again)
    behind = client.responses.create(model="chat", input="two", previous_response_id=made.id)
    fork = client.responses.create(model="chat", input="three", previous_response_id=made.id)
    check((behind.output_text, fork.output_text) == ("You said: two (3)", "You said: three (3)"), fork)
    items = list(client.responses.input_items.list(behind.id, order="asc", limit=2))
    check([item.role for item in items] == ["user", "assistant", "user"], items)
    with client.responses.stream(model="chat", input="count 3") as stream:
        events = list(stream)
        final = stream.get_final_response()
    check(final.output_text == "1 2 3 ", final)
    joined = list(client.responses.retrieve(final.id, stream=True, starting_after=5))
    check([event.sequence_number for event in joined][0] == 6 and joined[-1].type == "response.completed", joined)
    check(len(joined) < len(events) + 1, "joined behind an event")
    tools = [{"type": "function", "strict": False, **weather}]
    called = client.responses.create(model="chat", input="the weather?", tools=tools)
    output = {"type": "function_call_output", "call_id": called.output[0].call_id, "output": "sunny"}
    told = client.responses.create(model="chat", input=[output], previous_response_id=called.id, tools=tools)
    check(told.output_text == "The tool says sunny", told)
    slow = client.responses.create(model="chat", input="wait 60000", background=True)
    check(slow.status == "queued", slow)
    check(client.responses.cancel(slow.id).status == "cancelled", "cancelled")
    client.responses.delete(made.id)
    refused(openai.NotFoundError, lambda: client.responses.retrieve(made.id), "response_not_found")
    check(client.responses.input_tokens.count(model="chat", input="hello you").input_tokens > 0, "tokens")
    compacted = client.responses.compact(model="chat", input=user("one") + [{"role": "assistant", "content": "two"}])
    next_one = [item.to_dict() for item in compacted.output] + user("three")
    check(client.responses.create(model="chat", input=next_one).output_text == "You said: three (3)", "compacted")


def conversations():
    made = client.conversations.create(metadata={"topic": "tea"}, items=user("before"))
    check(client.responses.create(model="chat", input="one", conversation=made.id).output_text == "You said: one (2)",
          "in a conversation")
    added = client.conversations.items.create(made.id, items=user("extra"))
    items = list(client.conversations.items.list(made.id, order="asc"))
    check(len(items) == 4 and items[-1].id == added.data[0].id, items)
    check(client.conversations.items.retrieve(items[0].id, conversation_id=made.id).role == "user", "an item")
    client.conversations.items.delete(items[-1].id, conversation_id=made.id)
    check(len(list(client.conversations.items.list(made.id))) == 3, "one less")
    check(client.conversations.update(made.id, metadata={"topic": "coffee"}).metadata == {"topic": "coffee"}, "change")
    check(client.conversations.delete(made.id).deleted, "deleted")
    refused(openai.NotFoundError, lambda: client.conversations.retrieve(made.id), "conversation_not_found")


def over_a_socket():
    with client.responses.connect() as connection:
        previous = None
        for text, expected in (("one", "You said: one (1)"), ("two", "You said: two (3)")):
            request = {"model": "chat", "input": text, "store": False}
            if previous:
                request["previous_response_id"] = previous
            connection.response.create(**request)
            for event in connection:
                if event.type == "response.completed":
                    break
            check(event.response.output_text == expected, event)
            previous = event.response.id


async def at_the_same_time():
    many = openai.AsyncOpenAI(base_url=url, api_key="key", max_retries=0)
    told = await asyncio.gather(*(many.responses.create(model="chat", input=f"say {i}") for i in range(20)))
    check([one.output_text for one in told] == [f"You said: say {i} (1)" for i in range(20)], told)
    # A client that goes away ends its stream, and not the run of a response.
    gone = await many.responses.create(model="chat", input="wait 300", stream=True)
    async for event in gone:
        if event.type == "response.in_progress":
            break
    await gone.close()
    for _ in range(100):
        now = await many.responses.retrieve(event.response.id)
        if now.status == "completed":
            break
        await asyncio.sleep(0.05)
    check(now.output_text == "waiting is over", now)
    await many.close()


def as_open_webui():
    """The requests that Open WebUI makes: a list of models, a chat with fields that others do not have, a title."""
    with httpx.Client(headers={"Authorization": "Bearer key"}) as http:
        check(http.get(f"{url}/models").json()["data"][0]["id"] == "chat", "models")
        chat = {"model": "chat", "stream": True, "messages": [{"role": "system", "content": "Be short"}] + user("hi"),
                "stream_options": {"include_usage": True}, "temperature": 0.7, "seed": 1, "stop": None, "tools": []}
        with http.stream("POST", f"{url}/chat/completions", json=chat) as answer:
            lines = [line for line in answer.iter_lines() if line]
        check(lines[-1] == "data: [DONE]", lines)
        check(answer.headers["content-type"].startswith("text/event-stream"), answer.headers)
        title = {"model": "chat", "stream": False, "messages": user("title?"), "max_completion_tokens": 50}
        check(http.post(f"{url}/chat/completions", json=title).json()["choices"][0]["message"]["role"] == "assistant",
              "title")


def tools_of_the_client():
    """The loop of an agent: the model of a graph calls what this program carries out."""
    parameters = {"type": "object", "properties": {"place": {"type": "string"}}}
    functions = [{"name": name, "description": name, "parameters": parameters} for name in ("locate", "look")]
    tools = [{"type": "function", "function": function} for function in functions]
    for metadata in (None, {"thread_id": "tools"}):
        more = {"metadata": metadata} if metadata else {}
        messages = user("Where is it?")
        while True:
            said = client.chat.completions.create(model="helper", messages=messages, tools=tools, **more).choices[0]
            messages.append(said.message.model_dump(exclude_none=True))
            if said.finish_reason != "tool_calls":
                break
            check([call.function.name for call in said.message.tool_calls] == ["locate", "look"], said)
            messages += [{"role": "tool", "tool_call_id": call.id, "content": call.function.name + "ed"}
                         for call in said.message.tool_calls]
        server = "35 m, " if metadata else ""
        check(said.message.content == f"I hear {server}locateed, looked", said)
    flat = [{"type": "function", **function} for function in functions]
    asked = client.responses.create(model="helper", input="Where?", tools=flat, tool_choice="required")
    check([item.name for item in asked.output] == ["locate", "look"], asked)
    outputs = [{"type": "function_call_output", "call_id": item.call_id, "output": "x"} for item in asked.output]
    try:
        client.responses.create(model="helper", input=outputs[:1], previous_response_id=asked.id)
        check(False, "an answer to some of the calls was taken")
    except openai.BadRequestError as refused:
        check(refused.code == "missing_tool_output" and outputs[1]["call_id"] in str(refused), refused)
    told = client.responses.create(model="helper", input=outputs, previous_response_id=asked.id)
    check(told.output_text == "I hear 35 m, x, x", told)
    try:
        tools[0]["function"] = {"name": "a b"}
        client.chat.completions.create(model="helper", messages=user("x"), tools=tools)
        check(False, "a wrong name was taken")
    except openai.BadRequestError as refused:
        check(refused.param == "tools[0].function.name", refused)


models()
completions()
tools_of_the_client()
completion_errors()
questions()
responses()
conversations()
over_a_socket()
asyncio.run(at_the_same_time())
as_open_webui()
print(f"{checks} checks")
