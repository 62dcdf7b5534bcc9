#pragma once

/** weft in programs of Asio: operations awaited in tasks (`use_task`), tasks and runs started with completion tokens
 *  (`async_start`, `engine::async_run`, `run_handle::async_answer`, …), nodes, effects and tools that are coroutines of
 *  Asio (`boost::asio::awaitable`). */

#include <weft/async/async_start.hpp>
#include <weft/async/task/from_awaitable.hpp>
#include <weft/async/use_task.hpp>
#include <weft/engine/start/typed_run_completion.hpp>
