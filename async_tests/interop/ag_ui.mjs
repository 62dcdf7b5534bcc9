// AG-UI's own client, with its verifier, against a server of weft.
// usage: ag_ui.mjs <url> <folder with node_modules>

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [url, folder] = process.argv.slice(2);
const require = createRequire(pathToFileURL(folder + "/package.json"));
const { HttpAgent } = await import(pathToFileURL(require.resolve("@ag-ui/client")));

let passed = 0;
let warnings = 0;
console.warn = (...words) => {
  warnings += 1;
  console.log("warning:", ...words);
};
console.error = () => {}; // the client tells of runs that fail, which some do here
function check(isRight, what, seen) {
  if (!isRight) throw new Error(`${what}: ${JSON.stringify(seen)}`);
  passed += 1;
}

function agentFor(assistant, more = {}) {
  return new HttpAgent({ url: `${url}/ag-ui/${assistant}`, threadId: crypto.randomUUID(), ...more });
}
function says(agent, content) {
  agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
}
/** Runs it. @return  All events; one that failed has `failed`. */
async function run(agent, parameters = {}) {
  const events = [];
  const watching = { onEvent: ({ event }) => void events.push(event) };
  try {
    events.result = (await agent.runAgent(parameters, watching)).result;
  } catch (failure) {
    events.failed = failure;
  }
  return events;
}
const textOf = (events) => events.filter((e) => e.type === "TEXT_MESSAGE_CONTENT").map((e) => e.delta).join("");
async function api(method, path, body) {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
  return answer.status === 204 || answer.status === 202 ? answer : answer.json();
}

async function talking() {
  const agent = agentFor("assistant");
  for (let turn = 1; turn <= 3; ++turn) {
    says(agent, `turn ${turn}`);
    const events = await run(agent);
    check(!events.failed, "run", events.failed?.message);
    check(textOf(events) === `You said: turn ${turn}`, "text", textOf(events));
    check(agent.messages.length === 2 * turn, "messages", agent.messages);
    check(agent.messages.at(-1).content === `You said: turn ${turn}`, "last", agent.messages.at(-1));
  }
  const { values } = await api("GET", `/threads/${agent.threadId}/state`);
  const ids = (list) => list.map((m) => m.id).join();
  check(ids(values.messages) === ids(agent.messages), "ids", [values.messages, agent.messages]);
}

async function values() {
  const agent = agentFor("echo");
  says(agent, "x".repeat(200));
  const events = await run(agent);
  check(events.some((e) => e.type === "STATE_DELTA"), "delta", events);
  check(agent.state.steps.join() === `first ${"x".repeat(200)},second`, "state", agent.state);
  check(JSON.parse(events.result).steps.length === 2, "result", events.result);
  agent.setState({ ...agent.state, steps: ["mine"] });
  says(agent, "b");
  await run(agent);
  check(agent.state.steps.join() === "mine,first b,second", "replaced", agent.state);
}

async function questions() {
  const agent = agentFor("assistant");
  says(agent, "ask me");
  const asked = await run(agent);
  check(agent.pendingInterrupts.length === 1, "interrupt", asked);
  const [interrupt] = agent.pendingInterrupts;
  check(interrupt.message === "Shall I?" && interrupt.responseSchema.type === "boolean", "question", interrupt);
  const resume = [{ interruptId: interrupt.id, status: "resolved", payload: true }];
  const answered = await run(agent, { resume });
  check(textOf(answered) === "You say yes", "answer", answered);
  check(agent.pendingInterrupts.length === 0 && agent.messages.length === 2, "after", agent.messages);
  const stale = await run(agent, { resume });
  check(stale.at(-1).type === "RUN_ERROR" && stale.at(-1).code === "stale_interrupt", "stale", stale);

  // Asked here, answered over LangGraph's protocol, and the other way round.
  const other = agentFor("assistant");
  says(other, "ask");
  await run(other);
  const body = { assistant_id: "assistant", command: { resume: false } };
  const left = await api("POST", `/threads/${other.threadId}/runs/wait`, body);
  check(left.messages.at(-1).content === "You say no", "answered elsewhere", left);
  const third = agentFor("assistant");
  const input = { messages: [{ type: "human", content: "ask" }] };
  await api("POST", `/threads/${third.threadId}/runs/wait`,
    { assistant_id: "assistant", input, if_not_exists: "create" });
  await run(third);
  check(third.pendingInterrupts.length === 1 && third.messages.length === 1, "asked elsewhere", third.messages);
  const here = third.pendingInterrupts.map((i) => ({ interruptId: i.id, status: "resolved", payload: true }));
  check(textOf(await run(third, { resume: here })) === "You say yes", "answered here", third.messages);
}

async function failures() {
  const agent = agentFor("failing");
  const events = await run(agent);
  check(events.at(-1).type === "RUN_ERROR" && events.at(-1).code === "node_failed", "failure", events);
  const none = await run(agentFor("none"));
  check(none.failed?.status === 404 && none.failed.payload.code === "assistant_not_found", "none", none.failed);
  const wrong = await run(agentFor("echo", { initialState: { nmae: "x" } }));
  check(wrong.failed?.payload.message.startsWith("body.state.nmae"), "unknown key", wrong.failed?.payload);
}

async function tools() {
  const agent = agentFor("tools");
  says(agent, "where, and add");
  const asked = await run(agent);
  const { outcome } = asked.at(-1);
  check(outcome.pendingToolCallIds.length === 1, "pending", outcome);
  const calls = agent.messages.find((m) => m.toolCalls).toolCalls;
  check(calls.length === 2 && JSON.parse(calls[0].function.arguments).a === 2, "calls", calls);
  check(agent.messages.at(-1).role === "tool" && agent.messages.at(-1).content === "5", "own tool", agent.messages);
  const [toolCallId] = outcome.pendingToolCallIds;
  agent.addMessage({ id: crypto.randomUUID(), role: "tool", toolCallId, content: "Bonn" });
  check(textOf(await run(agent)) === "It is 5 and Bonn", "result", agent.messages);
  says(agent, "again");
  await run(agent);
  check(agent.messages.at(-1).content === "One moment", "void text", agent.messages);
}

/** Tools that the page brings itself, and carries out. */
async function frontendTools() {
  const agent = agentFor("helper");
  const tools = ["locate", "look"].map((name) => ({ name, description: name, parameters: { type: "object" } }));
  says(agent, "where?");
  const asked = await run(agent, { tools });
  const { pendingToolCallIds } = asked.at(-1).outcome;
  const calls = agent.messages.flatMap((m) => m.toolCalls ?? []);
  const named = (id) => calls.find((call) => call.id === id)?.function;
  check(pendingToolCallIds.map((id) => named(id)?.name).join() === "locate,look", "pending", [asked, agent.messages]);
  check(JSON.parse(named(pendingToolCallIds[0]).arguments).place === "Paris", "arguments", calls);
  const answer = (toolCallId, content, more = {}) =>
    agent.addMessage({ id: crypto.randomUUID(), role: "tool", toolCallId, content, ...more });
  answer(pendingToolCallIds[0], "here");
  const some = await run(agent, { tools });
  const refused = some.at(-1);
  check(refused.code === "missing_tool_result" && refused.message.includes(pendingToolCallIds[1]), "some", refused);
  answer(pendingToolCallIds[1], "it is dark", { error: "it is dark" });
  const told = await run(agent, { tools });
  check(textOf(told) === "I hear 35 m, here, it is dark", "result", [told, agent.messages]);
  check(!told.at(-1).outcome.pendingToolCallIds, "open", told.at(-1));
  const { values } = await api("GET", `/threads/${agent.threadId}/state`);
  check(values.messages.length === agent.messages.length, "messages", [values.messages, agent.messages]);
}

async function joining() {
  const agent = agentFor("assistant");
  says(agent, "count 30");
  let pieces = 0;
  const leaving = {
    onTextMessageContentEvent: () => {
      if (++pieces === 2) agent.abortRun();
    },
  };
  await agent.runAgent({}, leaving).catch(() => {});
  check(pieces < 30, "left", pieces);
  const again = new HttpAgent({ url: agent.url, threadId: agent.threadId, initialMessages: agent.messages });
  const events = await run(again);
  check(textOf(events).endsWith("29 30 "), "joined", textOf(events));
  const runs = await api("GET", `/threads/${agent.threadId}/runs`);
  check(runs.length === 1 && runs[0].status === "success", "one run", runs);
  check(again.messages.length === 2, "messages", again.messages);

  const stopped = agentFor("assistant");
  says(stopped, "count 200");
  const stopping = {
    onRunStartedEvent: ({ event }) =>
      void api("POST", `/threads/${stopped.threadId}/runs/${event.metadata.weft.runId}/cancel`, {}),
  };
  let last;
  await stopped.runAgent({}, { ...stopping, onEvent: ({ event }) => void (last = event) });
  check(last.type === "RUN_FINISHED" && last.outcome.type === "cancelled", "cancelled", last);
}

await Promise.all([talking(), values(), questions(), failures(), tools(), frontendTools(), joining()]);
check(warnings === 0, "warnings of the client", warnings);
console.log(`${passed} checks of AG-UI's client passed`);
