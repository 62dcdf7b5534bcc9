// What weft_bench measures, by LangGraph.js. Waiting rows have 1,000 runs at once.
// usage: node rows.mjs [--quick] [row...]   measures all rows, or those whose names are or begin so; one object
//                                          of JSON a line
//        node rows.mjs --list             names of the rows

import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({
  visits: Annotation({ reducer: (before, more) => before + more, default: () => 0 }),
});

function check(holds, what) {
  if (!holds) throw new Error(what);
}

function chainOf(count, node) {
  const builder = new StateGraph(State);
  let previous = START;
  for (let i = 0; i < count; ++i) {
    builder.addNode(`node ${i}`, node).addEdge(previous, `node ${i}`);
    previous = `node ${i}`;
  }
  return builder.addEdge(previous, END).compile();
}

function fanOf(count, node) {
  const names = Array.from({ length: count }, (_, i) => `branch ${i}`);
  const builder = new StateGraph(State).addNode("split", () => ({})).addNode("join", () => ({}));
  for (const name of names) builder.addNode(name, node).addEdge("split", name);
  return builder.addEdge(START, "split").addEdge(names, "join").addEdge("join", END).compile();
}

async function invoke(graph, visits) {
  const state = await graph.invoke({ visits: 0 });
  check(state.visits === visits, "a run did not visit every node");
}

const visit = async () => ({ visits: 1 });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Waits of 5 to 50 ms, from the generator that weft_bench has (std::minstd_rand).
let last = 1;
async function waitingVisit() {
  last = (last * 48271) % 2147483647;
  await sleep((5000 + (last % 45001)) / 1000);
  return { visits: 1 };
}

const cpuUs = () => {
  const used = process.cpuUsage();
  return used.user + used.system;
};

async function cpuOf(runs, run) {
  const before = cpuUs();
  for (let i = 0; i < runs; ++i) await run();
  return (cpuUs() - before) / runs;
}

async function wallOf(run) {
  const before = performance.now();
  await run();
  return performance.now() - before;
}

const amount = (full, small) => (quick ? Math.min(full, small) : full);

function chain(count) {
  const graph = chainOf(count, visit);
  return () => cpuOf(amount(Math.ceil(400 / (count + 3)), 2), () => invoke(graph, count)).then((us) => us * 1e3);
}

function fanOut(count) {
  const graph = fanOf(count, visit);
  const runs = amount(Math.ceil(200 / (count + 8)), 1);
  return () => cpuOf(runs, () => invoke(graph, count)).then((us) => (us * 1e3) / count);
}

function wait(count) {
  const graph = fanOf(count, async () => {
    await sleep(10);
    return { visits: 1 };
  });
  return () => wallOf(() => invoke(graph, count));
}

function inFlight(count) {
  const graph = chainOf(3, waitingVisit);
  const runs = amount(count, 50);
  const all = () => Promise.all(Array.from({ length: runs }, () => invoke(graph, 3)));
  return () => cpuOf(1, all).then((us) => us / runs);
}

const build = (count) => () => cpuOf(1, async () => chainOf(count, visit));

// name, unit, what makes a round, its number, rounds, seconds of warming up (compilers of functions that are hot)
const rows = [
  ["chain_1", "ns CPU per run", chain, 1, 7, 1.5],
  ["chain_3", "ns CPU per run", chain, 3, 7, 1.5],
  ["chain_10", "ns CPU per run", chain, 10, 7, 1.5],
  ["fan_out_8_coroutine", "ns CPU per branch", fanOut, 8, 7, 1.5],
  ["fan_out_64_coroutine", "ns CPU per branch", fanOut, 64, 5, 1.5],
  ["fan_out_1000_coroutine", "ns CPU per branch", fanOut, 1000, 3, 2],
  ["wait_1000", "ms", wait, 1000, 3, 2],
  ["in_flight_1000", "us CPU per run", inFlight, 1000, 2, 2],
  ["build_1000", "us CPU", build, 1000, 5, 0.5],
];

async function measure([name, unit, make, number, count, warmUp]) {
  const round = make(number);
  const began = performance.now();
  while (!quick && performance.now() - began < warmUp * 1e3) await round();
  const figures = [];
  for (let i = 0; i < amount(count, 1); ++i) figures.push(await round());
  figures.sort((a, b) => a - b);
  const middle = (figures.length - 1) / 2;
  const median = (figures[Math.floor(middle)] + figures[Math.ceil(middle)]) / 2;
  const shown = { name, unit, system: "LangGraph.js", median, least: figures[0], rounds: figures.length };
  console.log(JSON.stringify(shown));
}

const words = process.argv.slice(2);
const quick = words[0] === "--quick";
if (quick) words.shift();
if (words[0] === "--list") {
  for (const [name] of rows) console.log(name);
} else {
  const isMeant = (name) => words.length === 0 || words.some((word) => name.startsWith(word));
  for (const row of rows.filter(([name]) => isMeant(name))) await measure(row);
}
