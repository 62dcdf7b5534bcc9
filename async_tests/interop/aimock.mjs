// A mock server of the OpenAI API that others maintain (npm: @copilotkit/aimock), behind a TLS front, since it speaks
// HTTP only. usage: node aimock.mjs <folder of node_modules> <certificate> <key>; ends with its standard input.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { tlsFront } from "./tls_front.mjs";

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

const port = await tlsFront(mock.url, certificate, key);
console.log(`${mock.url}/v1 https://localhost:${port}/v1`);
process.stdin.resume().on("end", () => process.exit(0));
