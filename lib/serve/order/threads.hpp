#pragma once

#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/store/record/thread_key.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace weft::serve_detail {

/** A thread. @par Errors  `http_error` 404. */
[[nodiscard]] task<stored_thread> require_thread(serve_core& core, thread_key key);

/** Where a thread stands, or stood, as JSON for clients; see `state_view_text`.
 *  @param sequence   Of the checkpoint; nothing: the newest.
 *  @par Errors       `http_error` 404: there is no such thread, or no such checkpoint of it. */
[[nodiscard]] task<std::string> state_of(serve_core& core, thread_key thread, std::optional<std::int64_t> sequence);

/** The number of a checkpoint. @par Errors  `http_error` 404: it is none. */
[[nodiscard]] std::int64_t sequence_of(std::string_view checkpoint_id);

}  // namespace weft::serve_detail
