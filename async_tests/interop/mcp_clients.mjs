// The official clients in JavaScript, of both lines, against a server of weft.
// usage: mcp_clients.mjs <folder with node_modules> http <url>
//        mcp_clients.mjs <folder with node_modules> stdio <command…>

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, how, ...where] = process.argv.slice(2);
const require = createRequire(pathToFileURL(folder + "/package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)));

let passed = 0;
function check(isRight, what, seen) {
  if (!isRight) throw new Error(`${what}: ${JSON.stringify(seen)}`);
  passed += 1;
}

const form = { action: "accept", content: { answer: true } };

async function transportOf(Http, Stdio) {
  if (how === "http") return new Http(new URL(where[0]));
  return new Stdio({ command: where[0], args: where.slice(1), stderr: "inherit" });
}

/** The client of 1.x: sessions of 2025-11-25. */
async function firstLine() {
  const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
  const types = await load("@modelcontextprotocol/sdk/types.js");
  const client = new Client({ name: "v1", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(types.ElicitRequestSchema, async () => form);
  const lines = [];
  client.setNotificationHandler(types.LoggingMessageNotificationSchema, (note) => lines.push(note.params));
  await client.connect(await transportOf(StreamableHTTPClientTransport, StdioClientTransport));
  return { client, lines, call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options) };
}

/** The client of 2.x, in either era. */
async function secondLine(mode) {
  const { Client, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
  const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");
  const client = new Client(
    { name: "v2", version: "1" },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode } },
  );
  client.setRequestHandler("elicitation/create", async () => form);
  await client.connect(await transportOf(StreamableHTTPClientTransport, StdioClientTransport));
  return { client, lines: null, call: (name, args, options) => client.callTool({ name, arguments: args }, options) };
}

async function useGraphs(name, { client, lines, call }) {
  const { tools } = await client.listTools();
  const echo = tools.find((tool) => tool.name === "echo");
  check(echo && echo.inputSchema.properties.input.type === "string", name + " tools", tools);
  const said = await call("echo", { input: "hello" });
  check(said.structuredContent.steps.join() === "first hello,second", name + " call", said);
  check(said._meta["weft/thread_id"], name + " thread", said);
  const steps = [];
  await call("echo", { input: "x" }, { onprogress: (step) => steps.push(step.message) });
  check(steps.join() === "first,first: done,second,second: done", name + " progress", steps);
  const asked = await call("approval", { input: "the letter" });
  check(asked.structuredContent.decision === "sent", name + " question", asked);
  const failed = await call("failing", { input: "x" });
  check(failed.isError && failed.content[0].text.includes("it broke"), name + " failure", failed);
  const wrong = await call("echo", { inputt: "x" });
  check(wrong.isError && wrong.content[0].text.startsWith("arguments.inputt"), name + " mistake", wrong);
  const chatted = await call("chat", { messages: [{ role: "user", content: "hi" }] });
  check(chatted.content[0].text === "You said: hi", name + " chat", chatted);
  if (lines) check(lines.some((line) => line.data.done === true), name + " log", lines);
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 100);
  const outcome = await call("slow", { delay_ms: 20000 }, { signal: stop.signal }).then(
    () => "answered",
    () => "aborted",
  );
  check(outcome === "aborted", name + " abort", outcome);
  check((await call("echo", { input: "again" })).content.length === 1, name + " after an abort", null);
  await client.close();
}

/** The graph files that `weft mcp` is started with. */
async function useFiles(name, { client, call }) {
  const { tools } = await client.listTools();
  check(tools.length === 1 && tools[0].description === "Greets a person.", name + " tools", tools);
  const steps = [];
  const said = await call("hello", { who: "Ada" }, { onprogress: (step) => steps.push(step.message) });
  check(said.structuredContent.text === "Hello, Ada", name + " call", said);
  // The client forgets a call's progress with its answer, and drops what came in the same piece of the pipe.
  check("greet,greet: done".startsWith(steps.join()), name + " progress", steps);
  await client.close();
}

const use = how === "http" ? useGraphs : useFiles;
await use("v1", await firstLine());
await use("v2 legacy", await secondLine("legacy"));
await use("v2 auto", await secondLine("auto"));
console.log(`mcp_clients.mjs: ${passed} checks`);
