// The runtime of CopilotKit in front of a server of weft, called as its front ends call it.
// usage: copilotkit.mjs <url> <folder with node_modules>

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

process.env.COPILOTKIT_TELEMETRY_DISABLED = "true";
process.env.DO_NOT_TRACK = "1";
const [url, folder] = process.argv.slice(2);
const require = createRequire(pathToFileURL(folder + "/package.json"));
const runtimeFile = require.resolve("@copilotkit/runtime/v2");
const { CopilotRuntime, InMemoryAgentRunner, createCopilotRuntimeHandler } = await import(pathToFileURL(runtimeFile));
// The runtime has a client of its own, older than 1.0.
const { HttpAgent } = await import(pathToFileURL(createRequire(runtimeFile).resolve("@ag-ui/client")));

let passed = 0;
console.error = () => {};
function check(isRight, what, seen) {
  if (!isRight) throw new Error(`${what}: ${JSON.stringify(seen)}`);
  passed += 1;
}

const agents = {};
for (const name of ["assistant", "tools", "failing"]) agents[name] = new HttpAgent({ url: `${url}/ag-ui/${name}` });
const runtime = new CopilotRuntime({ agents, runner: new InMemoryAgentRunner() });
const handler = createCopilotRuntimeHandler({ runtime, basePath: "/api", activateChannels: false });

async function ask(path, body) {
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream" };
  const options = body ? { method: "POST", headers, body: JSON.stringify(body) } : {};
  const answer = await handler(new Request(`http://localhost/api${path}`, options));
  const text = await answer.text();
  if (!body) return JSON.parse(text);
  const events = text.split("\n\n").filter((frame) => frame.startsWith("data: "));
  return events.map((frame) => JSON.parse(frame.slice(6)));
}
const user = (content) => ({ id: crypto.randomUUID(), role: "user", content });
const input = (threadId, messages, more = {}) => ({
  threadId, runId: crypto.randomUUID(), messages, state: {}, tools: [], context: [], forwardedProps: {}, ...more,
});
const run = (agent, ...rest) => ask(`/agent/${agent}/run`, input(...rest));
const textOf = (events) => events.filter((e) => e.type === "TEXT_MESSAGE_CONTENT").map((e) => e.delta).join("");

const info = await ask("/info");
check(info.agents.assistant, "info", info);

const thread = crypto.randomUUID();
const messages = [user("hello")];
const first = await run("assistant", thread, messages);
check(textOf(first) === "You said: hello", "text", first);
check(first.at(-1).type === "RUN_FINISHED", "end", first.at(-1));
messages.push({ id: first.find((e) => e.type === "TEXT_MESSAGE_START").messageId, role: "assistant",
                content: textOf(first) }, user("ask"));
const asked = await run("assistant", thread, messages);
const [interrupt] = asked.at(-1).outcome?.interrupts ?? [];
check(interrupt?.message === "Shall I?", "interrupt", asked.at(-1));
const resume = [{ interruptId: interrupt.id, status: "resolved", payload: true }];
const answered = await run("assistant", thread, messages, { resume });
check(textOf(answered) === "You say yes", "answer", answered);
// A front end that comes later gets all of it from the runtime.
const shown = await ask("/agent/assistant/connect", input(thread, []));
check(textOf(shown).includes("You say yes"), "connect", shown);
const state = await (await fetch(`${url}/threads/${thread}/state`)).json();
check(state.values.messages.length === 4, "thread", state.values.messages);

const calling = [user("where, and add")];
const called = await run("tools", crypto.randomUUID(), calling);
check(called.filter((e) => e.type === "TOOL_CALL_START").length === 2, "calls", called);
check(called.filter((e) => e.type === "TOOL_CALL_RESULT").length === 1, "results", called);
check(called.at(-1).type === "RUN_FINISHED", "end of calls", called.at(-1));
const own = called.at(0).threadId;
const toolCallId = called.find((e) => e.type === "TOOL_CALL_START" && e.toolCallName === "locate").toolCallId;
const posted = await run("tools", own, [...calling, { id: "r", role: "tool", toolCallId, content: "Bonn" }]);
check(textOf(posted) === "It is 5 and Bonn", "posted", posted);

const failed = await run("failing", crypto.randomUUID(), [user("x")]);
check(failed.some((e) => e.type === "RUN_ERROR" && e.code === "node_failed"), "failure", failed);
console.log(`${passed} checks of CopilotKit's runtime passed`);
process.exit(0); // its timers would hold it
