// A node in JavaScript: writes a headline, and streams it as it comes.
//
//     node title.mjs 8002
import express from "express";

const service = express();
service.use(express.json());

// What was answered, by the key of the call: a call that is made again after a crash gets the same answer.
const answers = new Map();

function headlineOf({ text, score }) {
    const first = text.split(/[.!?]/)[0].trim();
    return score < 0.5 ? `Long read: ${first}` : first;
}

service.post("/title", (request, response) => {
    const key = request.get("Idempotency-Key");
    if (!answers.has(key)) answers.set(key, headlineOf(request.body));
    const headline = answers.get(key);
    response.type("text/event-stream");
    for (const word of headline.split(" ")) response.write(`data: ${word} \n\n`);
    response.end(`event: result\ndata: ${JSON.stringify({ headline })}\n\n`);
});

const server = service.listen(Number(process.argv[2] ?? 8002), "127.0.0.1");
process.on("SIGTERM", () => server.close());
