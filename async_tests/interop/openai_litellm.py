# LiteLLM against a server of weft, as one of OpenAI's kind.
# usage: openai_litellm.py <base URL>
import sys

import litellm

at = {"model": "openai/chat", "api_base": sys.argv[1], "api_key": "key"}
hello = [{"role": "user", "content": "hello"}]


def check(condition, what):
    if not condition:
        raise SystemExit(f"failed: {what}")


whole = litellm.completion(messages=hello, **at)
check(whole.choices[0].message.content == "You said: hello (1)" and whole.usage.total_tokens == 12, whole)
pieces = litellm.completion(messages=hello, stream=True, **at)
check("".join(piece.choices[0].delta.content or "" for piece in pieces) == "You said: hello (1)", "pieces")
tools = [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {}}}}]
called = litellm.completion(messages=[{"role": "user", "content": "the weather?"}], tools=tools, **at)
check(called.choices[0].message.tool_calls[0].function.name == "get_weather", called)
made = litellm.responses(input="hello", **at)
check(made.output[0].content[0].text == "You said: hello (1)", made)
try:
    litellm.completion(messages=hello, n=2, **at)
    check(False, "two answers are not refused")
except litellm.BadRequestError as error:
    check("one answer" in str(error), error)
print("5 checks")
