// A mock server of the OpenAI API that others maintain (npm: @copilotkit/aimock), behind a TLS front, since it speaks
// HTTP only. usage: node aimock.mjs <folder of node_modules> <certificate> <key>; ends with its standard input.
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, certificate, key] = process.argv.slice(2);
const entry = path.join(modules, "@copilotkit", "aimock", "dist", "index.js");
const { LLMock } = await import(pathToFileURL(entry));

// Three UTF-16 units in each piece: some pieces end in the middle of an emoji, as with any server in JavaScript.
const mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 3, logLevel: "silent" });
mock.onMessage("hello", { content: "Grüße 😀😀😀 from aimock 🌍!" });
mock.onMessage("think", { content: "42", reasoning: "six times seven 😀😀" });
mock.onMessage("weather", { toolCalls: [{ name: "weather", arguments: '{"city":"Lisbon 😀😀"}', id: "call_1" }] });
mock.onMessage("both", { content: "One moment.", toolCalls: [{ name: "weather", arguments: '{"city":"Rome"}' }] });
mock.onMessage("count", { content: "ok", usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } });
mock.onMessage("short", { content: "cut of", finishReason: "length" });
mock.onMessage("limit", { error: { message: "slow down", type: "rate_limit_error" }, status: 429, retryAfter: 2 });
mock.onMessage("broken", { error: { message: "out of order", type: "server_error" }, status: 500 });
mock.onMessage("key", { error: { message: "who are you?", code: "invalid_api_key" }, status: 401 });
mock.onMessage("vanish", { content: "one two three four five six seven" }, { truncateAfterChunks: 4 });
await mock.start();

const tls = { cert: fs.readFileSync(certificate), key: fs.readFileSync(key) };
const front = https.createServer(tls, (request, response) => {
    const target = new URL(request.url, mock.url);
    const onward = http.request(target, { method: request.method, headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.on("error", () => response.socket.end());  // what had arrived is sent on before
        answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
});
front.listen(0, "127.0.0.1", () => console.log(`${mock.url}/v1 https://localhost:${front.address().port}/v1`));
process.stdin.resume().on("end", () => process.exit(0));
