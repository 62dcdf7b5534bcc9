#pragma once

#include <weft/model/chat_reply.hpp>
#include <weft/model/chat_request.hpp>

#include <cstdint>
#include <exception>
#include <string_view>

namespace weft {

class node_context;

namespace agent_detail {

// What models are sent and what they answer, as events of a run that records it (`node_host::record_of_calls`):
//
//     model_request {"number":4,"of":3,"asked":"gpt-x at api.openai.com:443","parameters":{"temperature":0.2,…},
//                    "tools":[{"same":2}],
//                    "messages":[{"same":9},{"role":"tool","tool_call_id":"c1","content":"17 mm"}]}
//     model_reply   {"of":4,"message":{…},"stop":"stop","id":"…","model":"…","usage":{…}}
//     model_reply   {"of":4,"error":"connection_lost","why":"…","message":{…}}    of a call that failed: what came
//
// A request of the same node and branch before, `of`, has what is not written again: `{"same":9}` stands for the nine
// items that it has at these places. Numbers count the requests of a run; they begin again when the run goes on in
// another process or after a pause, where nothing refers to what was before. A tool has its name and a fingerprint of
// its schema. What looks like a secret is hidden (`secret_scrubber`). A message has 64 KiB of text at most, and a
// request 1 MiB; one that is cut says in `cut` how many bytes are missing.

/** Emits what a model is about to be sent.
 *
 *  @param asked   The label of the model.
 *  @return        The number of the request, for what comes of it; 0, and nothing is made: the run records no calls. */
[[nodiscard]] std::uint64_t record_request(node_context& node, const chat_request& request, std::string_view asked);
/** Emits what a model has answered to the request of that number. */
void record_reply(node_context& node, std::uint64_t number, const chat_reply& reply);
/** Emits why the request of that number has no reply. @param came   What had come of one; null: nothing. */
void record_failure(node_context& node, std::uint64_t number, const std::exception_ptr& why,
                    const message* came = nullptr);

}  // namespace agent_detail
}  // namespace weft
