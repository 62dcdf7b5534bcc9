// The load of `weft_bench --agents`, run by LangGraph.js's react agent. Prints the same object.
// usage: node --expose-gc agents.mjs [agents] [turns] [delay in ms]

import { readFileSync } from "node:fs";

import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";

const [agentCount = "10000", turnCount = "3", delayMs = "100"] = process.argv.slice(2);
const agents = Number(agentCount);
const turns = Number(turnCount);
const delay = Number(delayMs);

// Calls the tool until it has said `turns` replies, and then answers.
class TurningModel extends BaseChatModel {
  _llmType() {
    return "turning";
  }
  bindTools() {
    return this;
  }
  async _generate(messages) {
    await new Promise((resolve) => setTimeout(resolve, delay));
    const turn = messages.filter((one) => one.getType() === "ai").length;
    const usage_metadata = { input_tokens: 20, output_tokens: 10, total_tokens: 30 };
    const message =
      turn + 1 < turns
        ? new AIMessage({
            content: "",
            tool_calls: [{ id: `call-${turn}`, name: "weather", args: { city: "Paris" }, type: "tool_call" }],
            usage_metadata,
          })
        : new AIMessage({ content: "It rains in Paris.", usage_metadata });
    return { generations: [{ text: message.content, message }] };
  }
}

const weather = tool(({ city }) => `rain in ${city}`, {
  name: "weather",
  description: "The weather of a city.",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
});

const agent = createReactAgent({
  llm: new TurningModel({}),
  tools: [weather],
  prompt: "You are a helpful assistant.",
});

async function runAgents(count) {
  const one = async () => {
    const result = await agent.invoke({ messages: [{ role: "user", content: "What is the weather in Paris?" }] });
    if (result.messages.length !== 2 * turns) throw new Error("an agent took another number of turns");
  };
  await Promise.all(Array.from({ length: count }, one));
}

const statusBytes = (field) =>
  Number(readFileSync("/proc/self/status", "utf8").match(new RegExp(`^${field}:\\s+(\\d+) kB`, "m"))[1]) * 1024;

await runAgents(Math.min(agents, 100));
if (global.gc) global.gc();
const bytesBefore = statusBytes("VmRSS");
const cpuBefore = process.cpuUsage();
const before = performance.now();
await runAgents(agents);
const took = performance.now() - before;
const cpu = process.cpuUsage(cpuBefore);

console.log(
  JSON.stringify({
    system: "LangGraph.js",
    agents,
    turns,
    cpu_us: (cpu.user + cpu.system) / agents,
    bytes: (statusBytes("VmHWM") - bytesBefore) / agents,
    wall_ms: took,
  }),
);
