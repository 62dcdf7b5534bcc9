// An MCP server and its authorization server, both out of the protocol's own SDK, on one port of this machine.
// usage: mcp_oauth_server.mjs <folder of node_modules> <port>
// GET /forget makes all access tokens worthless; GET /counts says how often people agreed and tokens were refreshed.
import path from "node:path";
import { createRequire } from "node:module";

const [modules, port] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const sdk = (file) => require(path.resolve(modules, "@modelcontextprotocol/sdk/dist/cjs", file));
const { DemoInMemoryAuthProvider } = sdk("examples/server/demoInMemoryOAuthProvider.js");
const { mcpAuthRouter, getOAuthProtectedResourceMetadataUrl } = sdk("server/auth/router.js");
const { requireBearerAuth } = sdk("server/auth/middleware/bearerAuth.js");
const { InvalidGrantError, InvalidTokenError } = sdk("server/auth/errors.js");
const { Server } = sdk("server/index.js");
const { StreamableHTTPServerTransport } = sdk("server/streamableHttp.js");
const { CallToolRequestSchema, ListToolsRequestSchema } = sdk("types.js");
const express = require(path.resolve(modules, "express"));

const origin = new URL(`http://127.0.0.1:${port}`);
const endpoint = new URL("/mcp", origin);
const counts = { agreed: 0, refreshed: 0 };

/** The demonstration, with refresh tokens that rotate. */
class Provider extends DemoInMemoryAuthProvider {
    refreshes = new Map();

    async authorize(client, params, res) {
        counts.agreed += 1;
        return super.authorize(client, params, res);
    }
    withRefresh(tokens, entry) {
        const refresh = `refresh-${tokens.access_token}`;
        this.refreshes.set(refresh, entry);
        return { ...tokens, refresh_token: refresh };
    }
    async exchangeAuthorizationCode(client, code, verifier) {
        const tokens = await super.exchangeAuthorizationCode(client, code, verifier);
        return this.withRefresh(tokens, this.tokens.get(tokens.access_token));
    }
    async exchangeRefreshToken(client, refresh, _scopes, resource) {
        const entry = this.refreshes.get(refresh);
        if (!entry || entry.clientId !== client.client_id || resource?.href !== endpoint.href)
            throw new InvalidGrantError("no such refresh token");
        this.refreshes.delete(refresh);
        counts.refreshed += 1;
        const token = `again-${counts.refreshed}-${refresh.length}`;
        this.tokens.set(token, { ...entry, token });
        return this.withRefresh({ access_token: token, token_type: "bearer", expires_in: 3600 }, entry);
    }
    async verifyAccessToken(token) {
        if (!this.tokens.has(token)) throw new InvalidTokenError("no such token");
        const info = await super.verifyAccessToken(token);
        if (info.resource?.href !== endpoint.href) throw new InvalidTokenError("a token for another resource");
        return info;
    }
}
const provider = new Provider((resource) => resource?.href === endpoint.href);

function makeServer() {
    const server = new Server({ name: "guarded", version: "1" }, { capabilities: { tools: {} } });
    const tool = { name: "echo", inputSchema: { type: "object", properties: { message: { type: "string" } } } };
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [tool] }));
    server.setRequestHandler(CallToolRequestSchema, (request) => ({
        content: [{ type: "text", text: `Echo: ${request.params.arguments.message}` }],
    }));
    return server;
}

const app = express();
app.use(mcpAuthRouter({ provider, issuerUrl: origin, resourceServerUrl: endpoint, scopesSupported: ["mcp:tools"] }));
app.get("/forget", (_, res) => res.send(String(provider.tokens.clear() ?? "forgotten")));
app.get("/counts", (_, res) => res.json(counts));
const guard = requireBearerAuth({
    verifier: provider,
    requiredScopes: ["mcp:tools"],
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(endpoint),
});
app.post("/mcp", express.json(), guard, async (req, res) => {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await makeServer().connect(transport);
    await transport.handleRequest(req, res, req.body);
});
app.all("/mcp", guard, (_, res) => res.status(405).end());
app.listen(Number(port), "127.0.0.1");
