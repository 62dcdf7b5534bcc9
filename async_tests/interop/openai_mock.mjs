// Another mock server of the OpenAI API (npm: openai-mock-api), behind a TLS front. It calls its stream plain text,
// numbers no tool calls, and ends them with "stop".
// usage: node openai_mock.mjs <folder of node_modules> <certificate> <key>; ends with its standard input.
import { startOpenaiMock } from "./openai_mock_server.mjs";
import { tlsFront } from "./tls_front.mjs";

const [modules, certificate, key] = process.argv.slice(2);

const answer = (word, reply) => ({
    id: word,
    messages: [{ role: "user", content: word }, { role: "assistant", ...reply }],
});
const call = (id, city) => ({
    id,
    type: "function",
    function: { name: "weather", arguments: JSON.stringify({ city }) },
});
const port = await startOpenaiMock(modules, [
    answer("hello", { content: "Grüße from another mock 🌍, word by word." }),
    answer("weather", { tool_calls: [call("call_1", "Lisbon 😀"), call("call_2", "Rome")] }),
]);

console.log(await tlsFront(`http://127.0.0.1:${port}`, certificate, key));
process.stdin.resume().on("end", () => process.exit(0));
