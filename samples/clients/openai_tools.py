# usage: openai_tools.py [base URL] [graph]
import json
import sys

from openai import OpenAI

base_url = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8123/v1"
graph = sys.argv[2] if len(sys.argv) > 2 else "guide"
client = OpenAI(base_url=base_url, api_key="weft")
parameters = {"type": "object", "properties": {"place": {"type": "string"}}}
tools = [{"type": "function", "name": "locate", "description": "Where a place is.", "parameters": parameters}]

# The model of the graph calls the tool, this program carries it out, and the run goes on with the result.
response = client.responses.create(model=graph, input="Where is it?", tools=tools)
while calls := [item for item in response.output if item.type == "function_call"]:
    results = []
    for call in calls:
        place = json.loads(call.arguments).get("place", "here")
        results.append({"type": "function_call_output", "call_id": call.call_id, "output": f"{place} is near"})
    response = client.responses.create(model=graph, input=results, previous_response_id=response.id)
print(response.output_text)
