#!/usr/bin/env bash
# openai_model as a client of a mock server that others maintain, with TLS and, on this machine only, without.
# usage: aimock.sh <program interop_client> <folder of node_modules>
set -euo pipefail
here=$(dirname "$0")
. "$here/node_server.sh"

start_node_server "$here/aimock.mjs" @copilotkit/aimock "$2"
for base_url in $said; do "$1" "$base_url"; done
