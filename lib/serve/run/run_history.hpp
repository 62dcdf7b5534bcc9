#pragma once

#include "serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/base/errc.hpp>
#include <weft/store/record/run_record.hpp>

#include <cstdint>
#include <memory>
#include <string_view>

namespace weft::serve_detail {

/** Whether the same may be asked again: the store does not answer now. */
[[nodiscard]] constexpr bool is_store_away(errc code) noexcept
{
    return code == errc::store_unavailable || code == errc::store_outcome_unknown;
}

/** The feed of a run with all that its store knows of it: what happened before this process had the run comes from the
 *  event log. A feed that has it already stays as it is. Of a log that cannot be read the feed has a part.
 *  @par Errors  `errc::store_unavailable`: a client that then joins again misses nothing. */
[[nodiscard]] task<std::shared_ptr<run_feed>> whole_feed_of(serve_core& core, const run_record& run);

/** Begins to read the log of a run into its feed, if that is not done and the graph is known.
 *  @param after   The id in the log behind which it begins. */
void begin_log(serve_core& core, run_feed& feed, std::string_view graph, std::uint64_t after);

/** Brings what the log has behind that into the feed, and what follows from there: the tape of the thread, other
 *  loops. Without `begin_log` there is nothing to do.
 *  @par Errors  Those of the store. */
[[nodiscard]] task<void> read_on(serve_core& core, thread_key thread, std::shared_ptr<run_feed> feed);

/** The tape of a thread. One that is made now has what happened in the thread's run so far. */
[[nodiscard]] task<std::shared_ptr<thread_tape>> whole_tape_of(serve_core& core, thread_key thread);

/** What the store knows of the end of a run. */
[[nodiscard]] run_ending ending_of(const run_record& run);

}  // namespace weft::serve_detail
