// Starts a mock server of the OpenAI API that others maintain (npm: openai-mock-api) on a port of this machine only.
import http from "node:http";
import path from "node:path";
import { createRequire } from "node:module";

/** @param responses   Conversations, each with its answer at the end.
 *  @returns the port, a promise of it */
export async function startOpenaiMock(modules, responses) {
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
    console.log = (line) => write(`${line}\n`);

    const mock = await createMockServer({ config: { apiKey: "right", port: 1, responses } });
    await mock.start();
    http.Server.prototype.listen = listen;
    return port;
}
