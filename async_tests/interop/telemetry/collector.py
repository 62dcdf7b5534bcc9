"""usage: collector.py <port> <file>: answers as a chat model of OpenAI and as a service, and notes the traceparent of
each call; and takes traces over OTLP/HTTP: each request as the lines of otlp_text.py in the file, and its bytes in
<file>.raw. The first of them is answered with 503."""
import gzip
import http.server
import sys
from json_handler import json_handler
from otlp_text import decode, lines


class receiver(json_handler):
    busy = True

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        if not self.path.startswith("/v1/traces"):
            with open(sys.argv[2] + ".called", "a", encoding="utf-8") as called:
                called.write(self.headers.get("traceparent", "none") + "\n")
            self.answer_as_model() if self.path.endswith("/chat/completions") else self.answer({"rated": "well"})
            return
        if receiver.busy:
            receiver.busy = False
            self.send_response(503)
            self.send_header("retry-after", "0")
            self.end_headers()
            return
        is_json = self.headers["content-type"] == "application/json"
        with open(sys.argv[2] + ".raw", "ab") as raw:
            raw.write(body)
        with open(sys.argv[2], "a", encoding="utf-8") as told:
            told.write("path %s%s\n" % (self.path, " json" if is_json else ""))
            told.write("\n".join(lines(decode(body, is_json))) + "\n")
        self.send_response(200)
        self.send_header("content-type", self.headers["content-type"])
        self.end_headers()
        self.wfile.write(b"{}" if is_json else b"")

    def answer_as_model(self):
        self.answer({"id": "c1", "object": "chat.completion", "created": 1, "model": "gpt-x-1",
                     "choices": [{"index": 0, "finish_reason": "stop",
                                  "message": {"role": "assistant", "content": "canary-in-a-reply"}}],
                     "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}})


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), receiver).serve_forever()
