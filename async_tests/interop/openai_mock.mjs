// Another mock server of the OpenAI API (npm: openai-mock-api), behind a TLS front. It calls its stream plain text,
// numbers no tool calls, and ends them with "stop".
// usage: node openai_mock.mjs <folder of node_modules> <certificate> <key>; ends with its standard input.
import http from "node:http";
import path from "node:path";
import { createRequire } from "node:module";
import { tlsFront } from "./tls_front.mjs";

const [modules, certificate, key] = process.argv.slice(2);
const { createMockServer } = createRequire(import.meta.url)(path.resolve(modules, "openai-mock-api"));

// It listens on all addresses; a test does not.
const listen = http.Server.prototype.listen;
let port = 0;
http.Server.prototype.listen = function (_, done) {
    return listen.call(this, 0, "127.0.0.1", () => {
        port = this.address().port;
        done();
    });
};

// Its log goes to the standard output, which is for the port.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (...what) => process.stderr.write(...what);

const answer = (word, reply) => ({
    id: word,
    messages: [{ role: "user", content: word }, { role: "assistant", ...reply }],
});
const call = (id, city) => ({
    id,
    type: "function",
    function: { name: "weather", arguments: JSON.stringify({ city }) },
});
const mock = await createMockServer({
    config: {
        apiKey: "right",
        port: 1,
        responses: [
            answer("hello", { content: "Grüße from another mock 🌍, word by word." }),
            answer("weather", { tool_calls: [call("call_1", "Lisbon 😀"), call("call_2", "Rome")] }),
        ],
    },
});
await mock.start();
http.Server.prototype.listen = listen;

write(`${await tlsFront(`http://127.0.0.1:${port}`, certificate, key)}\n`);
process.stdin.resume().on("end", () => process.exit(0));
