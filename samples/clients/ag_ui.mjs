// Talks with an agent that `weft serve` serves, as front ends of AG-UI do.
// usage: npm install @ag-ui/client && node ag_ui.mjs [<url of the server>] [<assistant>]

import { HttpAgent } from "@ag-ui/client";

const [server = "http://localhost:8123", assistant = "assistant"] = process.argv.slice(2);
const agent = new HttpAgent({ url: `${server}/ag-ui/${assistant}`, threadId: crypto.randomUUID() });
const printing = { onTextMessageContentEvent: ({ event }) => void process.stdout.write(event.delta) };

for (const words of ["count 3", "ask"]) {
  agent.addMessage({ id: crypto.randomUUID(), role: "user", content: words });
  await agent.runAgent({}, printing);
  console.log();
}
// A question ends the stream; the run waits, and goes on with the answer.
const resume = agent.pendingInterrupts.map((asked) => {
  console.log(asked.message);
  return { interruptId: asked.id, status: "resolved", payload: true };
});
await agent.runAgent({ resume }, printing);
console.log();
