#pragma once

#include "serve/feed/thread_tape.hpp"
#include "serve/http/api_call.hpp"
#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace weft::serve_detail {

/** Makes the frames of an entry; nothing for one that the client does not want. */
using append_entry_function = std::function<void(std::string& out, const tape_entry& entry)>;

/** Answers with what happens in a thread, as an event stream, until the tape is closed. A client that reads slowly
 *  holds no more than one piece of it.
 *  @param after   The number of the entry that the client has seen last. */
[[nodiscard]] task<void> stream_tape(serve_core& core, api_call& call, std::shared_ptr<thread_tape> tape,
                                     std::uint64_t after, append_entry_function append);

}  // namespace weft::serve_detail
