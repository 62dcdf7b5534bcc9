// LangGraph's JavaScript client against a server of weft.
// usage: langgraph_js.mjs <url> <folder with node_modules>

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [url, folder] = process.argv.slice(2);
const require = createRequire(pathToFileURL(folder + "/package.json"));
const { Client } = await import(pathToFileURL(require.resolve("@langchain/langgraph-sdk")));
const client = new Client({ apiUrl: url, apiKey: null, callerOptions: { maxRetries: 0 } });

let passed = 0;
function check(isRight, what, seen) {
  if (!isRight) throw new Error(`${what}: ${JSON.stringify(seen)}`);
  passed += 1;
}
async function partsOf(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

async function assistants() {
  const found = await client.assistants.search({ limit: 100 });
  check(found.length === 6, "search", found);
  const echo = await client.assistants.get("echo");
  check(echo.graph_id === "echo", "get", echo);
  const drawn = await client.assistants.getGraph("echo");
  check(drawn.edges.some((e) => e.source === "first" && e.target === "second"), "graph", drawn);
}

async function runs() {
  const thread = await client.threads.create({ metadata: { user: "ada" } });
  const id = thread.thread_id;
  await client.threads.patchState(id, { colour: "red" });
  check((await client.threads.get(id)).metadata.colour === "red", "patchState", id);
  const values = await client.runs.wait(id, "echo", { input: { input: "a" } });
  check(values.steps.join() === "first a,second", "wait", values);
  const parts = await partsOf(
    client.runs.stream(id, "echo", { input: { input: "b" }, streamMode: ["updates", "values"] }),
  );
  check(parts[0].event === "metadata" && parts[0].data.run_id, "metadata", parts[0]);
  check(parts.some((p) => p.event === "updates" && p.data.second), "updates", parts);
  check(parts.filter((p) => p.event === "values").at(-1).data.steps.length === 4, "values", parts);
  const state = await client.threads.getState(id);
  check(state.values.steps.length === 4 && state.next.length === 0, "state", state);
  const history = await client.threads.getHistory(id, { limit: 20 });
  check(history.length >= 4, "history", history.length);
  const listed = await client.runs.list(id);
  check(listed.length === 2 && listed[0].status === "success", "list", listed);
  const found = await client.threads.search({ metadata: { user: "ada" } });
  check(found.some((t) => t.thread_id === id), "search", found);
  const stateless = await client.runs.wait(null, "echo", { input: { input: "s" } });
  check(stateless.steps[0] === "first s", "stateless", stateless);
}

async function chat() {
  const { thread_id: id } = await client.threads.create();
  const parts = await partsOf(
    client.runs.stream(id, "chat", {
      input: { messages: [{ type: "human", content: "hello" }] },
      streamMode: ["messages-tuple", "values"],
    }),
  );
  const text = parts.filter((p) => p.event === "messages").map((p) => p.data[0].content).join("");
  check(text === "You said: hello", "tokens", parts);
  const last = parts.filter((p) => p.event === "values").at(-1).data.messages;
  check(last.map((m) => m.type).join() === "human,ai", "messages", last);
}

async function questions() {
  const { thread_id: id } = await client.threads.create();
  const asked = await client.runs.wait(id, "approval", { input: { input: "mail" } });
  check(asked.__interrupt__.length === 1, "interrupt", asked);
  const thread = await client.threads.get(id);
  check(thread.status === "interrupted" && Object.keys(thread.interrupts).length === 1, "thread", thread);
  const parts = await partsOf(client.runs.stream(id, "approval", { command: { resume: true }, streamMode: "values" }));
  check(parts.at(-1).data.decision === "sent", "resume", parts);
}

async function failures() {
  const { thread_id: id } = await client.threads.create();
  const parts = await partsOf(client.runs.stream(id, "failing", { input: { input: "x" } }));
  check(parts.at(-1).event === "error" && parts.at(-1).data.message.includes("it broke"), "error", parts);
  const refused = await client.runs.wait(id, "nonsense", { input: {} }).then(
    () => null,
    (e) => e,
  );
  check(refused?.status === 422, "an unknown assistant", String(refused));
}

async function joining() {
  const { thread_id: id } = await client.threads.create();
  let told;
  const stream = client.runs.stream(id, "slow", {
    input: { delay_ms: 200 },
    streamMode: ["values", "updates"],
    streamResumable: true,
    onRunCreated: (run) => (told = run),
  });
  const first = await stream[Symbol.asyncIterator]().next();
  check(first.value.event === "metadata", "first", first);
  check(told?.run_id === first.value.data.run_id && told.thread_id === id, "onRunCreated", told);
  const parts = await partsOf(client.runs.joinStream(id, told.run_id, { streamMode: ["values", "updates"] }));
  check(parts.some((p) => p.event === "updates" && p.data.wait), "join", parts);
  const run = await client.runs.create(id, "slow", { input: { delay_ms: 60000 } });
  await client.runs.cancel(id, run.run_id, true);
  check((await client.runs.get(id, run.run_id)).status === "interrupted", "cancel", run);
}

/** The second protocol, on which the hooks for React and others stand, over event streams and over a WebSocket. */
async function threadStream() {
  if (!client.threads.stream) return; // as in 2.0.0, which is older than its number
  for (const transport of globalThis.WebSocket ? ["sse", "websocket"] : ["sse"]) {
    await talkAndAsk(transport);
    await findsTheThreadAgain(transport);
  }
}

async function talkAndAsk(transport) {
  const chat = client.threads.stream(crypto.randomUUID(), { assistantId: "chat", transport });
  const started = await chat.run.start({ input: { messages: [{ type: "human", content: "hello" }] } });
  check(started.run_id, "run.start", started);
  let text = "";
  for await (const message of chat.messages) for await (const piece of message.text) text += piece;
  check(text === "You said: hello", "messages", text);
  const values = await chat.values;
  check(values.messages.length === 2, "values", values);
  await chat.close();
  const asking = client.threads.stream(crypto.randomUUID(), { assistantId: "approval", transport });
  await asking.run.start({ input: { input: "mail" } });
  await asking.values;
  check(asking.interrupted && asking.interrupts.length === 1, "interrupts", asking.interrupts);
  const { interruptId } = asking.interrupts[0];
  const stale = await asking.input
    .respond({ namespace: [], interrupt_id: "nonsense", response: true })
    .then(() => null, (e) => e);
  check(String(stale).includes("nonsense"), "an answer to nothing", String(stale));
  await asking.input.respond({ namespace: [], interrupt_id: interruptId, response: true });
  for (let i = 0; ; i += 1) {
    const state = await client.threads.getState(asking.threadId);
    if (state.values.decision === "sent") break;
    check(i < 100, "the answer changes the state", state.values);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await asking.close();
}

/** Two clients of one thread: the second sees what happened before it came, and what the first does then. */
async function findsTheThreadAgain(transport) {
  const id = crypto.randomUUID();
  const first = client.threads.stream(id, { assistantId: "echo", transport });
  await first.run.start({ input: { input: "one" } });
  check((await first.values).steps.length === 2, "the first run", id);
  const second = client.threads.stream(id, { assistantId: "echo", transport });
  const seen = [];
  const subscription = await second.subscribe({ channels: ["values"] });
  const reading = (async () => {
    for await (const event of subscription) {
      seen.push(event.params.data.steps ?? []);
      if (seen.at(-1).length === 4) return;
    }
  })();
  await first.run.start({ input: { input: "two" } });
  await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, 5000))]);
  check(seen.some((steps) => steps.length === 2), "what happened before", seen);
  check(seen.at(-1)?.[2] === "first two", "what happens now", seen);
  await second.close();
  await first.close();
}

async function items() {
  await client.store.putItem(["users", "eve"], "tea", { kind: "mint" });
  const item = await client.store.getItem(["users", "eve"], "tea");
  check(item.value.kind === "mint", "get", item);
  const found = await client.store.searchItems(["users", "eve"], { filter: { kind: "mint" } });
  check(found.items.length === 1, "search", found);
  await client.store.deleteItem(["users", "eve"], "tea");
}

async function crons() {
  const { thread_id: id } = await client.threads.create();
  const cron = await client.crons.createForThread(id, "slow", {
    schedule: "30 7 * * *",
    timezone: "Europe/Berlin",
    input: { delay_ms: 1 },
  });
  check(cron.cron_id && cron.thread_id === id, "create", cron);
  const found = await client.crons.search({ threadId: id });
  check(found.length === 1 && found[0].schedule === "30 7 * * *", "search", found);
  const changed = await client.crons.update(cron.cron_id, { schedule: "0 9 * * *", enabled: false });
  check(changed.schedule === "0 9 * * *" && changed.next_run_date === null, "update", changed);
  await client.crons.delete(cron.cron_id);
  check((await client.crons.count({ threadId: id })) === 0, "count");
}

for (const part of [assistants, runs, chat, questions, failures, joining, threadStream, items, crons]) {
  try {
    await part();
  } catch (e) {
    console.error(`langgraph_js: ${part.name}: ${e.stack ?? e}`);
    process.exit(1);
  }
}
console.log(`langgraph_js: ${passed} checks passed`);
process.exit(0);
