#pragma once

#include "serve/http/fields.hpp"
#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/store/record/run_record.hpp>
#include <weft/store/record/stored_run.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** A run of a thread. @par Errors  `http_error` 404. */
[[nodiscard]] task<run_record> require_run(serve_core& core, thread_key thread, std::string id);

/** A page of runs.
 *  @param after   Where the client has put the cursor of the query: a cursor that is none is refused there. It outlives
 *                 the task. */
[[nodiscard]] task<run_page> search_runs(serve_core& core, run_query query, const field& after);

/** The number of the last checkpoint of a run; nothing: it has made none. The thread may have gone on since. */
[[nodiscard]] task<std::optional<std::int64_t>> last_checkpoint(serve_core& core, thread_key thread, run_id run);

/** The path of a run, for the header `Content-Location`. */
[[nodiscard]] std::string place_of_run(std::string_view thread, run_id run);

/** Cancels a run, under way or in line; one that is over stays as it is.
 *  @return  True if it is the active one, which ends a little later. */
[[nodiscard]] task<bool> cancel_run(serve_core& core, run_record run);

/** Waits until a run is over, whichever process ends it. The news of the store wake it.
 *  @return  As the store has it; nothing: it is gone. */
[[nodiscard]] task<std::optional<run_record>> wait_until_over(serve_core& core, run_record run);

/** Cancels the run of a client that wanted that when it goes away, and no other one of its thread. What goes wrong is
 *  told to the log. */
[[nodiscard]] task<void> stop_run_of_client(serve_core& core, run_id run);

}  // namespace weft::serve_detail
