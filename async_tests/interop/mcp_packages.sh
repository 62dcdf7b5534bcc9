# Sourced by the tests of MCP's server: where the official clients are, and a Node that can run all of them.

# need_mcp_clients <folder of foreign programs>: sets `clients`, the folder with them, and `node22`.
need_mcp_clients() {
    clients=$(cd "$1/mcp_clients" 2>/dev/null && pwd) || clients=$1/mcp_clients
    [ -d "$clients/node_modules/@modelcontextprotocol/conformance" ] ||
        skip "there are no clients of MCP; scripts/install-deps --tools installs them"
    for node22 in "$clients"/node_modules/node-linux-*/bin/node "$(command -v node || true)"; do
        if [ -x "$node22" ] && "$node22" -e 'process.exit(parseInt(process.versions.node) < 22 ? 1 : 0)'; then return; fi
    done
    skip "Node.js is older than 22"
}
