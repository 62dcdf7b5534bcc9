#pragma once

/** What a program that runs graphs needs: keys, graphs, engines, tasks.
 *
 *  Further headers by job: <weft/models.hpp>, <weft/tools.hpp>, <weft/agents.hpp>, <weft/durable.hpp> and, for tests,
 *  <weft/testing.hpp>. docs/HEADERS.md has a table of names and their headers. */

#include <weft/async/run_blocking.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/task.hpp>
#include <weft/base/error.hpp>
#include <weft/base/list.hpp>
#include <weft/engine/engine.hpp>
#include <weft/engine/memory_journal.hpp>
#include <weft/engine/runtime.hpp>
#include <weft/graph/answer_parsing.hpp>
#include <weft/graph/graph_builder.hpp>
