#!/usr/bin/env bash
# weft serve --tenant-role: two tenants of one database, each behind the policies of PostgreSQL.
. "$(dirname "$0")/../program.sh"
command -v curl >/dev/null || skip "curl is not installed"
unset WEFT_STORE PGPASSWORD WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY \
    OPENAI_BASE_URL ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY
mkdir graphs
cat >graphs/once.json <<'END_OF_GRAPH'
{
  "name": "once",
  "state": [{"name": "rounds", "type": "integer", "reducer": "add"}],
  "nodes": [{"name": "turn", "kind": "set", "settings": {"values": {"rounds": 1}}}],
  "edges": [{"from": "__start__", "to": "turn"}, {"from": "turn", "to": "__end__"}]
}
END_OF_GRAPH
run 2 serve graphs --tenant-role weft_tenant
has "$err" "--tenant-role weft_tenant: only PostgreSQL has roles" "--store postgresql://"

. "$source/async_tests/cli/postgres.sh"
if "$weft" threads --store postgresql://weft@127.0.0.1:1/x 2>&1 | grep -q "built without PostgreSQL"; then
    skip "this weft is built without PostgreSQL"
fi
psql() { "$bin/psql" -h 127.0.0.1 -p "$port" -U weft postgres -qAtc "$1"; }
psql "CREATE ROLE app LOGIN; CREATE ROLE weft_tenant NOLOGIN; GRANT weft_tenant TO app;
      GRANT CREATE ON DATABASE postgres TO app"
export WEFT_STORE=postgresql://app@127.0.0.1:$port/postgres

# The policies come to tables that are in use: a plan first, then they are made, once.
run 0 store migrate
run 2 serve graphs --tenant-role weft_tenant
has "$err" "--tenant-role weft_tenant: nothing asks callers who they are" "--api-keys"
run 2 serve graphs --tenant-role missing --api-keys
has "$err" "role 'missing' is not there: CREATE ROLE missing NOLOGIN"
run 0 store migrate --plan --tenant-role weft_tenant
has "$out" "ALTER TABLE run ENABLE ROW LEVEL SECURITY" "readers and writers of 'run' wait"
run 0 store migrate --tenant-role weft_tenant
run 0 store migrate --tenant-role weft_tenant
has "$out" "There was nothing to do."
is "$(psql "SELECT count(*) FROM pg_policies WHERE permissive = 'RESTRICTIVE'")" 11

for tenant in acme other; do
    run 0 keys --add "$tenant" --tenant "$tenant" --scope '*,keys:*,queue:*'
    declare "$tenant=$out"
done

"$weft" serve graphs --api-keys --tenant-role weft_tenant --listen unix:serve.sock 2>serve.log </dev/null &
serving=$!
trap 'kill "$serving" 2>/dev/null; kill -QUIT "$server" 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT
for (( i = 0; i < 300; i++ )); do
    [ ! -S serve.sock ] || break
    sleep 0.1
done
# ask <tenant> <path> <argument of curl>…: the answer, and behind it its status.
ask() {
    local key=${!1} path=$2
    shift 2
    curl -s --unix-socket serve.sock "http://localhost$path" -H "x-api-key: $key" -H 'content-type: application/json' \
        -H 'accept: application/json, text/event-stream' -w ' %{http_code}' "$@"
}
for tenant in acme other; do
    has "$(ask "$tenant" /threads/mine/runs/wait -d '{"assistant_id": "once", "if_not_exists": "create",
        "input": {}, "metadata": {"of": "'"$tenant"'"}}')" '"rounds":1' " 200"
    has "$(ask "$tenant" /threads/search -d '{"metadata": {}}')" '"thread_id":"mine"' " 200"
    has "$(ask "$tenant" /threads/mine/state)" '"rounds":1' " 200"
    has "$(ask "$tenant" /store/items -X PUT -d '{"namespace": ["a"], "key": "k", "value": {"of": "'"$tenant"'"}}')" " 204"
    has "$(ask "$tenant" /store/items/search -d '{"namespace_prefix": ["a"]}')" "\"of\":\"$tenant\"" " 200"
    has "$(ask "$tenant" /assistants/search -d '{}')" '"graph_id":"once"' " 200"
    has "$(ask "$tenant" /admin/keys)" "\"name\":\"$tenant\"" " 200"
    has "$(ask "$tenant" /admin/workers)" '"is_alive":true' " 200"
    has "$(ask "$tenant" /admin/queue)" " 200"
    has "$(ask "$tenant" /mcp -d '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}}')" " 200"
done
is "$(psql "SELECT count(*) FROM weft.thread WHERE name = 'mine'")" 2
is "$(ask acme /threads/search -d '{}' | grep -o '"thread_id"' | wc -l)" 1
has "$(ask acme /admin/keys)" '"name":"acme"'
[[ $(ask acme /admin/keys) != *other* ]] || fail "keys of another tenant are listed"

# Requests come as the role: what it may not read, none gets. Runs are the login's.
psql "REVOKE SELECT ON weft.checkpoint FROM weft_tenant"
[[ $(ask acme /threads/mine/state) != *" 200" ]] || fail "a checkpoint is read, and not as the role"
has "$(ask acme /threads/mine/runs/wait -d '{"assistant_id": "once", "input": {}}')" '"rounds":2' " 200"
psql "GRANT SELECT ON weft.checkpoint TO weft_tenant"
has "$(ask acme /threads/mine/state)" '"rounds":2' " 200"

# A thread goes with all that belongs to it, and the other tenant's stays.
has "$(ask acme /threads/mine -X DELETE)" " 204"
is "$(psql "SELECT count(DISTINCT run) FROM weft.run_event")" 1
has "$(ask other /threads/mine/state)" '"rounds":1' " 200"
