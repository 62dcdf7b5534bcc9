// The other mock server of the OpenAI API (npm: openai-mock-api) with what it answers to agents, behind a TLS front that
// keeps a log, since it has no journal. It answers a conversation only if all of its messages are as expected.
// usage: node openai_mock.mjs <folder of node_modules> <certificate> <key>; ends with its standard input.
import { startOpenaiMock } from "../openai_mock_server.mjs";
import { tlsFront, WireLog } from "../tls_front.mjs";

const [modules, certificate, key] = process.argv.slice(2);

const call = (name, args, id) => ({ id, type: "function", function: { name, arguments: JSON.stringify(args) } });
const asks = (...tool_calls) => ({ role: "assistant", tool_calls });
const answers = (content) => ({ role: "assistant", content });
const result = (tool_call_id, content) => ({ role: "tool", tool_call_id, content });

/** One answer for each turn: the conversation up to it. */
const turns = (name, ...messages) =>
    messages.flatMap((message, index) =>
        message.role === "assistant" ? [{ id: `${name}-${index}`, messages: messages.slice(0, index + 1) }] : []);

const responses = [
    ...turns("journey",
        { role: "system", content: "You plan journeys.", matcher: "contains" },
        { role: "user", content: "How is the weather in Rome and Oslo?" },
        asks(call("weather", { city: "Rome" }, "call_rome"), call("weather", { city: "Oslo" }, "call_oslo")),
        result("call_rome", "rain in Rome"),
        result("call_oslo", "rain in Oslo"),
        asks(call("book", { city: "Rome" }, "call_book")),
        result("call_book", "booked: Rome"),
        answers("Grüße 😀😀: it rains in Rome, and the train is booked.")),
    ...turns("ledger",
        { role: "system", content: "You are the ledger." },
        { role: "user", content: "Is invoice 1017 paid?" },
        asks(call("invoice", { number: "1017" }, "call_1"), call("invoice", { number: "x" }, "call_2")),
        result("call_1", "invoice 1017 was paid on Monday"),
        { ...result("call_2", "no invoice x"), matcher: "contains" },
        answers("It was paid on Monday.")),
];

const port = await startOpenaiMock(modules, responses);
const front = await tlsFront(`http://127.0.0.1:${port}`, certificate, key, new WireLog());
console.log(`https://localhost:${front}`);
process.stdin.resume().on("end", () => process.exit(0));
