// HTTPS on a free port of this machine, in front of a server that speaks HTTP only.
import fs from "node:fs";
import http from "node:http";
import https from "node:https";

/** @returns the port, a promise of it */
export function tlsFront(target, certificate, key) {
    const tls = { cert: fs.readFileSync(certificate), key: fs.readFileSync(key) };
    const front = https.createServer(tls, (request, response) => {
        const address = new URL(request.url, target);
        const onward = http.request(address, { method: request.method, headers: request.headers }, (answer) => {
            response.writeHead(answer.statusCode, answer.headers);
            answer.on("error", () => response.socket.end()); // what had arrived is sent on before
            answer.pipe(response);
        });
        onward.on("error", () => response.destroy());
        request.pipe(onward);
    });
    return new Promise((resolve) => front.listen(0, "127.0.0.1", () => resolve(front.address().port)));
}
