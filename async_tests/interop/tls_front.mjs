// HTTPS on a free port of this machine, in front of a server that speaks HTTP only.
import fs from "node:fs";
import http from "node:http";
import https from "node:https";

/** What passed a front, for tests: GET /__front/requests lists it, GET /__front/came?count=2 answers as soon as two
 *  requests have come, and GET /__front/left?count=2 as soon as the clients of two have gone away before they had their
 *  answers. */
export class WireLog {
    #seen = [];
    #waiting = [];

    /** Answers what is for the log itself. */
    answers(request, response) {
        const { pathname, searchParams } = new URL(request.url, "http://front");
        if (pathname === "/__front/requests") return this.#say(response, this.#seen);
        const what = pathname.replace("/__front/", "");
        if (what !== "came" && what !== "left") return false;
        this.#waiting.push({ what, count: Number(searchParams.get("count")), response });
        this.#look();
        return true;
    }

    add(request, response) {
        const { method, url: path, headers } = request;
        const entry = { method, path, headers, body: null, response: { status: 0, left: false } };
        const pieces = [];
        this.#seen.push(entry);
        request.on("data", (piece) => pieces.push(piece));
        request.on("end", () => {
            const text = Buffer.concat(pieces).toString();
            entry.body = text ? JSON.parse(text) : null;
            this.#look();
        });
        response.on("close", () => {
            const left = !response.writableFinished && !response.isBroken;
            entry.response = { status: response.statusCode, left };
            this.#look();
        });
    }

    #look() {
        const number = {
            came: this.#seen.filter((entry) => entry.body !== null).length,
            left: this.#seen.filter((entry) => entry.response.left).length,
        };
        const done = ({ what, count }) => count <= number[what];
        for (const { what, response } of this.#waiting.filter(done)) this.#say(response, number[what]);
        this.#waiting = this.#waiting.filter((one) => !done(one));
    }

    #say(response, what) {
        response.writeHead(200, { "Content-Type": "application/json" });
        response.end(JSON.stringify(what));
        return true;
    }
}

/** @param log   A WireLog, or nothing.
 *  @returns the port, a promise of it */
export function tlsFront(target, certificate, key, log) {
    const tls = { cert: fs.readFileSync(certificate), key: fs.readFileSync(key) };
    const front = https.createServer(tls, (request, response) => {
        if (log?.answers(request, response)) return;
        if (!request.url.startsWith("/__")) log?.add(request, response);
        const breakOff = (end) => {
            response.isBroken = true;
            end();
        };
        const address = new URL(request.url, target);
        const onward = http.request(address, { method: request.method, headers: request.headers }, (answer) => {
            response.writeHead(answer.statusCode, answer.headers);
            answer.on("error", () => breakOff(() => response.socket?.end())); // what had arrived is sent on before
            answer.pipe(response);
        });
        onward.on("error", () => breakOff(() => response.destroy()));
        response.on("close", () => onward.destroy()); // whoever has gone away needs no answer
        request.pipe(onward);
    });
    return new Promise((resolve) => front.listen(0, "127.0.0.1", () => resolve(front.address().port)));
}
