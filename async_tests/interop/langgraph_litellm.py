"""LiteLLM's provider for LangGraph against a server of weft. usage: langgraph_litellm.py <url>

Whole answers only: its reader of streams expects the bytes of one message in one piece, which no server promises.
"""

import asyncio
import os
import sys

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it asks the network when it is imported

import litellm  # noqa: E402, it reads the setting above

url = sys.argv[1]
litellm.num_retries = 0
passed = 0


def check(is_good, what):
    global passed
    if not is_good:
        sys.exit(f"litellm: {what}")
    passed += 1


def text_of(answer):
    return answer.choices[0].message.content


def ask(words, model="langgraph/chat"):
    messages = [{"role": "user", "content": words}]
    return litellm.completion(model=model, api_base=url, messages=messages, timeout=20)


check(text_of(ask("hello")) == "You said: hello", "an answer")
history = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": "one"},
    {"role": "assistant", "content": "You said: one"},
    {"role": "user", "content": "two"},
]
answer = litellm.completion(model="langgraph/chat", api_base=url, messages=history, timeout=20)
check(text_of(answer) == "You said: two", f"a conversation: {answer}")
answer = asyncio.run(
    litellm.acompletion(model="langgraph/chat", api_base=url, messages=[{"role": "user", "content": "later"}], timeout=20)
)
check(text_of(answer) == "You said: later", f"without blocking: {answer}")
try:
    ask("hello", "langgraph/nonsense")
    check(False, "an unknown graph is answered")
except Exception as e:  # which class it is depends on its version
    check("nonsense" in str(e), f"an unknown graph: {e}")
print(f"litellm: {passed} checks passed")
