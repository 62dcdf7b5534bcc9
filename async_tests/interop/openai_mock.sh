#!/usr/bin/env bash
# openai_model as a client of a second mock server, by others than the first.
# usage: openai_mock.sh <program interop_openai_mock> <folder of node_modules>
set -euo pipefail
here=$(dirname "$0")
. "$here/node_server.sh"

start_node_server "$here/openai_mock.mjs" openai-mock-api "$2"
"$1" "https://localhost:$said/v1"
