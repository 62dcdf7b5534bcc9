"""usage: phoenix.py model <port>   a chat model of OpenAI that calls a tool and then answers
       phoenix.py check <url>    asks Phoenix for the spans that it has, until they are the tree of a react agent"""
import http.server
import json
import sys
import time
import urllib.request
from json_handler import json_handler


class model(json_handler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        called = any(each["role"] == "tool" for each in asked["messages"])
        message = {"role": "assistant", "content": "Yes." if called else None}
        if not called:
            call = {"name": "graphs__look_up", "arguments": "{}"}
            message["tool_calls"] = [{"id": "c1", "type": "function", "function": call}]
        usage = {"prompt_tokens": 31 if called else 12, "completion_tokens": 5 if called else 3}
        reply = {"id": "r", "object": "chat.completion", "created": 1, "model": "gpt-x", "usage": usage,
                 "choices": [{"index": 0, "finish_reason": "stop" if called else "tool_calls", "message": message}]}
        self.answer(reply)


def tree(spans, parent=None):
    ids = {each["context"]["span_id"] for each in spans}
    inner = [each for each in spans if (each["parent_id"] if each["parent_id"] in ids else None) == parent]
    inner.sort(key=lambda each: each["start_time"])
    return [[told(each), tree(spans, each["context"]["span_id"])] for each in inner]


def told(span):
    said = span["attributes"]
    tokens = [said.get("llm.token_count." + kind) for kind in ("prompt", "completion")]
    return span["name"] if tokens == [None, None] else "%s, tokens %s" % (span["name"], tokens)


def expected():
    think = lambda tokens: ["weft.node think", [["chat gpt-x, tokens %s" % tokens, [["POST", []]]]]]
    act = ["weft.node act", [["execute_tool graphs__look_up", []]]]
    return [["invoke_workflow agent", [["invoke_agent work", [think([12, 3]), act, think([31, 5])]]]]]


def check(url):
    found = None
    for _ in range(100):
        with urllib.request.urlopen(url + "/v1/projects/default/spans?limit=100") as answer:
            found = tree(json.load(answer)["data"])
        if found == expected():
            return
        time.sleep(0.1)
    sys.exit("Phoenix shows %s\ninstead of     %s" % (json.dumps(found), json.dumps(expected())))


if sys.argv[1] == "check":
    check(sys.argv[2])
else:
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), model).serve_forever()
