// OpenAI's client in JavaScript against a server of weft.
// usage: openai_clients.mjs <base URL>  (run in a folder that has the package)
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const here = createRequire(`${process.cwd()}/`);
const load = async (name) => import(pathToFileURL(here.resolve(name)).href);
const { default: OpenAI } = await load("openai");
const baseURL = process.argv[2];
const client = new OpenAI({ baseURL, apiKey: "key", maxRetries: 0 });
let checks = 0;

function check(condition, what) {
  ++checks;
  if (condition) return;
  console.error("failed:", what);
  process.exit(1);
}

async function refused(call, status, code, param = null) {
  try {
    await call();
  } catch (error) {
    check(error.status === status && error.code === code && error.param === param, error);
    return;
  }
  check(false, `${code} is not refused`);
}

async function all(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

const user = (content) => [{ role: "user", content }];
const weather = { name: "get_weather", parameters: { type: "object", properties: {} } };

const models = await all(await client.models.list());
check(models.length === 5 && models[0].id === "chat", models);

// Chat completions.
const whole = await client.chat.completions.create({ model: "chat", messages: user("hello") });
check(whole.choices[0].message.content === "You said: hello (1)", whole);
const streamed = client.chat.completions.stream({
  model: "chat", messages: user("count 3"), stream_options: { include_usage: true },
});
check((await streamed.finalContent()) === "1 2 3 ", "streamed");
check((await streamed.totalUsage()).total_tokens === 12, "usage");
const runner = client.chat.completions.runTools({
  model: "chat", messages: user("the weather?"),
  tools: [{ type: "function", function: { ...weather, function: () => "sunny", parse: JSON.parse } }],
});
check((await runner.finalContent()) === "The tool says sunny", "tools");
await refused(() => client.chat.completions.create({ model: "chat", messages: user("x"), n: 2 }), 400,
  "unsupported_value", "n");
await refused(() => client.chat.completions.create({ model: "none", messages: user("x") }), 404, "model_not_found",
  "model");

// The tools of the client, which the model of a graph calls.
const helped = client.chat.completions.runTools({
  model: "helper", messages: user("Where?"),
  tools: [{ type: "function", function: { name: "locate", parameters: { type: "object" }, parse: JSON.parse,
    function: ({ place }) => `near ${place}` } }],
});
check((await helped.finalContent()) === "I hear near Paris", "tools of the client");

// Responses.
const first = await client.responses.create({ model: "chat", input: "one" });
check(first.output_text === "You said: one (1)", first);
const second = await client.responses.create({ model: "chat", input: "two", previous_response_id: first.id });
check(second.output_text === "You said: two (3)", second);
const stream = client.responses.stream({ model: "chat", input: "count 4" });
const events = await all(stream);
const final = await stream.finalResponse();
check(final.output_text === "1 2 3 4 ", final);
const numbers = events.map((event) => event.sequence_number);
check(numbers.every((number, index) => number === index), numbers);
const joined = client.responses.stream({ response_id: final.id, starting_after: 4 });
check((await joined.finalResponse()).output_text === "1 2 3 4 ", "joined");
const asked = await client.responses.create({ model: "asking", input: "order" });
check(asked.output[0].name === "weft_question", asked);
const answered = await client.responses.create({
  model: "asking", previous_response_id: asked.id,
  input: [{ type: "function_call_output", call_id: asked.output[0].call_id, output: "large" }],
});
check(answered.output_text === "It is the large one", answered);
const slow = await client.responses.create({ model: "chat", input: "wait 60000", background: true });
check((await client.responses.cancel(slow.id)).status === "cancelled", "cancelled");
await client.responses.delete(first.id);
await refused(() => client.responses.retrieve(first.id), 404, "response_not_found");

// Conversations.
const conversation = await client.conversations.create({ items: user("before") });
const inIt = await client.responses.create({ model: "chat", input: "now", conversation: conversation.id });
check(inIt.output_text === "You said: now (2)", inIt);
check((await all(client.conversations.items.list(conversation.id))).length === 3, "items");

// A WebSocket.
const { ResponsesWS } = await load("openai/resources/responses/ws");
const socket = new ResponsesWS(client);
const told = await new Promise((resolve, reject) => {
  socket.on("response.completed", (event) => resolve(event.response));
  socket.on("error", reject);
  socket.send({ type: "response.create", model: "chat", input: "hello", store: false });
});
check(told.output[0].content[0].text === "You said: hello (1)", told);
socket.close();

console.log(`${checks} checks`);
