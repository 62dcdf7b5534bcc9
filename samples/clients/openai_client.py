# usage: openai_client.py [base URL] [graph]
import sys

from openai import OpenAI

base_url = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8123/v1"
graph = sys.argv[2] if len(sys.argv) > 2 else "chat"
client = OpenAI(base_url=base_url, api_key="weft")

# A chat, piece by piece.
for chunk in client.chat.completions.create(
    model=graph, messages=[{"role": "user", "content": "Hello"}], stream=True
):
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)
print()

# Responses are kept: the second one knows what was said in the first one.
first = client.responses.create(model=graph, input="Hello")
second = client.responses.create(model=graph, input="And again", previous_response_id=first.id)
print(second.output_text)
