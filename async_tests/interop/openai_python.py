"""OpenAI's client library against the scripted endpoint: whole and streamed, tools, usage, errors, TLS."""

import asyncio
import os

import openai

URL = os.environ["WEFT_LLM_URL"]
MODEL = os.environ["WEFT_LLM_MODEL"]
HELLO = [{"role": "user", "content": "hello Python \N{GRINNING FACE}"}]
ANSWER = "You said: hello Python \N{GRINNING FACE}"
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather in a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
    },
}


def check_whole(client):
    reply = client.chat.completions.create(model=MODEL, messages=HELLO)
    assert reply.choices[0].message.content == ANSWER, reply
    assert reply.choices[0].finish_reason == "stop", reply
    assert reply.model == MODEL, reply
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens > 0, reply


def check_streamed(client):
    pieces, usages, ends = [], [], []
    with client.chat.completions.create(
        model=MODEL, messages=HELLO, stream=True, stream_options={"include_usage": True}
    ) as stream:
        for chunk in stream:
            if chunk.usage:
                usages.append(chunk.usage)
            for choice in chunk.choices:
                pieces.append(choice.delta.content or "")
                ends += [choice.finish_reason] if choice.finish_reason else []
    assert "".join(pieces) == ANSWER, pieces
    assert len([piece for piece in pieces if piece]) > 2, pieces
    assert ends == ["stop"], ends
    assert len(usages) == 1 and usages[0].completion_tokens > 0, usages


def check_tools(client):
    reply = client.chat.completions.create(model=MODEL, messages=HELLO, tools=[WEATHER])
    assert reply.choices[0].finish_reason == "tool_calls", reply
    call = reply.choices[0].message.tool_calls[0]
    assert call.function.name == "weather" and "Lisbon" in call.function.arguments, call
    turn = [*HELLO, reply.choices[0].message, {"role": "tool", "tool_call_id": call.id, "content": "rain"}]
    told = client.chat.completions.create(model=MODEL, messages=turn, tools=[WEATHER])
    assert told.choices[0].message.content.startswith("The tool said: rain"), told


def check_streamed_tools(client):
    name, arguments, call_id = "", "", ""
    for chunk in client.chat.completions.create(model=MODEL, messages=HELLO, tools=[WEATHER], stream=True):
        for call in (chunk.choices and chunk.choices[0].delta.tool_calls) or []:
            name += call.function.name or ""
            arguments += call.function.arguments or ""
            call_id = call.id or call_id
    assert name == "weather" and call_id, (name, call_id)
    assert '"Lisbon"' in arguments and '"days":7' in arguments.replace(" ", ""), arguments


def check_assembled(client):
    """The library puts streams together itself, and is strict about their form."""
    with client.chat.completions.stream(
        model=MODEL, messages=HELLO, stream_options={"include_usage": True}
    ) as stream:
        final = stream.get_final_completion()
    assert final.choices[0].message.content == ANSWER, final
    assert final.usage.total_tokens > 0, final


def check_errors(client):
    try:
        client.chat.completions.create(model=MODEL, messages=[])
    except openai.BadRequestError as error:
        assert error.status_code == 400, error
    else:
        raise AssertionError("a request without messages was answered")
    try:
        client.models.list()
    except openai.NotFoundError:
        pass
    else:
        raise AssertionError("there is a list of models")


async def check_many():
    async with openai.AsyncOpenAI(base_url=URL, api_key="none", max_retries=0, timeout=20) as client:
        replies = await asyncio.gather(
            *(client.chat.completions.create(model=MODEL, messages=HELLO) for _ in range(20))
        )
    assert all(reply.choices[0].message.content == ANSWER for reply in replies)


def check_trust():
    del os.environ["SSL_CERT_FILE"]
    try:
        with openai.OpenAI(base_url=URL, api_key="none", max_retries=0, timeout=20) as client:
            client.chat.completions.create(model=MODEL, messages=HELLO)
    except openai.APIConnectionError:
        return
    raise AssertionError("the client believed a certificate without its authority")


def main():
    with openai.OpenAI(base_url=URL, api_key="none", max_retries=0, timeout=20) as client:
        for check in (check_whole, check_streamed, check_tools, check_streamed_tools, check_assembled, check_errors):
            check(client)
            print(check.__name__, "is well")
    asyncio.run(check_many())
    check_trust()
    print("openai", openai.__version__, "is content")


main()
