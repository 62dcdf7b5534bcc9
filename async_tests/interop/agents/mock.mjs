// A mock server of OpenAI's and Anthropic's APIs that others maintain (npm: @copilotkit/aimock), with what it answers to
// agents, behind a TLS front that keeps a log. It has a journal of its own, GET /__aimock/journal.
// usage: node mock.mjs <folder of node_modules> <certificate> <key>; ends with its standard input. The variable
// AGENTS_API names the API that is asked.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { fixtures, loosely } from "./fixtures.mjs";
import { tlsFront, WireLog } from "../tls_front.mjs";

const [modules, certificate, key] = process.argv.slice(2);
const entry = path.join(modules, "@copilotkit", "aimock", "dist", "index.js");
const { LLMock } = await import(pathToFileURL(entry));

process.env.AIMOCK_STRICT_TURN_INDEX = "1"; // a turn is answered where it stands, and nowhere else
const mock = new LLMock({
    port: 0,
    host: "127.0.0.1",
    chunkSize: 3,
    logLevel: "silent",
    auth: { apiKeys: ["right"] },
});
const isExact = ["openai", "anthropic"].includes(process.env.AGENTS_API ?? "openai");
for (const [match, response, options] of isExact ? fixtures : fixtures.map(loosely))
    mock.on(match, response, options);
await mock.start();

const port = await tlsFront(mock.url, certificate, key, new WireLog());
console.log(`https://localhost:${port}`);
process.stdin.resume().on("end", () => process.exit(0));
