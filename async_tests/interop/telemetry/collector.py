"""usage: collector.py <port> <file>: takes traces over OTLP/HTTP and writes them to the file, each request as the lines
of otlp_text.py and its raw bytes, decompressed, to <file>.raw. The first request is answered with 503."""
import gzip
import http.server
import sys
from otlp_text import decode, lines


class receiver(http.server.BaseHTTPRequestHandler):
    busy = True

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
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

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), receiver).serve_forever()
