"""usage: compare_bytes.py <folder of otlp_bytes>: what the decoder of OpenTelemetry reads is what the spans say."""
import pathlib
import sys
from otlp_text import decode, lines

folder = pathlib.Path(sys.argv[1])
compared = 0
for model in sorted(folder.glob("*.txt")):
    expected = model.read_text(encoding="utf-8")
    for ending in (".pb", ".json"):
        body = model.with_suffix("").with_name(model.stem + ending).read_bytes()
        read = "\n".join(lines(decode(body, ending == ".json"))) + "\n"
        if read != expected:
            print(model.stem + ending + " says\n" + read + "\ninstead of\n" + expected)
            sys.exit(1)
        compared += 1
assert compared == 6, compared
