#pragma once

#include "agent_frames.hpp"
#include "serve/run/serve_core.hpp"
#include "turn_plan.hpp"

#include <weft/async/task.hpp>
#include <weft/graph/graph.hpp>
#include <weft/store/record/run_record.hpp>
#include <weft/store/record/thread_key.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::serve_detail {

/** What the store knows of the thread that a client of AG-UI speaks in. */
struct thread_lookup {
    thread_lookup() {}

    known_conversation conversation = {};
    std::optional<run_record> active = {};
    std::optional<run_record> of_request = {};  ///< The run that this very request has begun before.
    std::optional<state> values = {};           ///< Nothing: the thread has none yet.
};

/** Looks the thread up. One that is not there has nothing. */
[[nodiscard]] task<thread_lookup> look_up(serve_core& core, thread_key thread,
                                          std::shared_ptr<const hosted_graph> of, std::string request);

/** Where a thread stood before a message of its user was answered: its conversation ends with the message, and a node
 *  would run next. @return  The number of the newest such checkpoint among the last ones; nothing: there is none. */
[[nodiscard]] task<std::optional<std::int64_t>> checkpoint_before_answer(serve_core& core, thread_key thread,
                                                                         std::shared_ptr<const hosted_graph> of,
                                                                         std::string message);

/** What a run notes of the request that begins it: so that it is found again, on any server of the store, and its
 *  messages are not added twice before the thread has them. */
[[nodiscard]] boost::json::object note_of_request(const std::string& request, const agent_input& input,
                                                  const std::vector<std::size_t>& added);

}  // namespace weft::serve_detail
