// The load of `weft_bench --threads sqlite`, run by LangGraph.js. Prints the same object.
// usage: node threads.mjs sqlite [threads] [steps]

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";

const [store = "sqlite", threadCount = "64", stepCount = "100"] = process.argv.slice(2);
const threads = Number(threadCount);
const steps = Number(stepCount);
const messageBytes = 200;
if (store !== "sqlite") throw new Error(`no store '${store}' here`);

const folder = mkdtempSync(join(tmpdir(), "rival-"));
const file = join(folder, "threads.db");
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const State = Annotation.Root({
  rounds: Annotation(),
  score: Annotation(),
  topic: Annotation(),
  messages: Annotation({ reducer: (all, more) => all.concat(more), default: () => [] }),
});

function graphOn(saver, onLast) {
  const say = (state) => {
    const rounds = (state.rounds ?? 0) + 1;
    const text = `${state.messages.length} `.padEnd(messageBytes, "m");
    return { rounds, score: rounds / 7, messages: [{ role: "assistant", text }] };
  };
  const end = () => {
    onLast();
    return {};
  };
  return new StateGraph(State)
    .addNode("say", say)
    .addNode("end", end)
    .addEdge(START, "say")
    .addConditionalEdges("say", (state) => (state.rounds < steps ? "say" : "end"), ["say", "end"])
    .addEdge("end", END)
    .compile({ checkpointer: saver, interruptBefore: ["end"] });
}

// Each checkpoint is written before the next step begins, as weft's are.
const configOf = (thread) => ({
  configurable: { thread_id: thread },
  recursionLimit: steps + 10,
  durability: "sync",
});

function bytesOnDisk() {
  let sum = 0;
  for (const name of readdirSync(folder)) if (!name.endsWith("-shm")) sum += statSync(join(folder, name)).size;
  return sum;
}

function check(holds, what) {
  if (!holds) throw new Error(what);
}

let saver = SqliteSaver.fromConnString(file);
let graph = graphOn(saver, () => check(false, "a thread did not pause"));
await graph.invoke({ topic: "rain" }, configOf("warm up"));

const names = Array.from({ length: threads }, (_, i) => `thread ${i}`);
const cpuBefore = process.cpuUsage();
let before = performance.now();
await Promise.all(names.map((name) => graph.invoke({ topic: "rain" }, configOf(name))));
const took = performance.now() - before;
const cpu = process.cpuUsage(cpuBefore);
const synchronous = saver.db.pragma("synchronous", { simple: true });
saver.db.close();
const bytes = Math.round((bytesOnDisk() * threads) / (threads + 1));

saver = SqliteSaver.fromConnString(file);
let began = 0;
graph = graphOn(saver, () => (began = performance.now()));
before = performance.now();
const newest = await graph.getState(configOf("thread 0"));
const newestMs = performance.now() - before;
check(newest.values.messages.length === steps, "a thread that was read lacks messages");

before = performance.now();
let read = 0;
let states = 0;
for await (const state of graph.getStateHistory(configOf("thread 0"))) {
  read += (state.values.messages ?? []).length;
  ++states;
}
const historyMs = performance.now() - before;
check(states >= steps && read >= (steps * (steps + 1)) / 2, "a history lacks states");

const resuming = [];
for (const name of names.slice(0, 9)) {
  began = 0;
  before = performance.now();
  await graph.invoke(null, configOf(name));
  check(began > 0, "a thread did not go on");
  resuming.push(began - before);
}
resuming.sort((a, b) => a - b);

console.log(
  JSON.stringify({
    system: "LangGraph.js",
    store: synchronous === 2 ? "sqlite" : "sqlite_normal",
    threads,
    steps,
    steps_per_s: (threads * steps * 1000) / took,
    cpu_us_per_step: (cpu.user + cpu.system) / (threads * steps),
    bytes,
    newest_ms: newestMs,
    history_ms: historyMs,
    resume_ms: resuming[Math.floor(resuming.length / 2)],
  }),
);
