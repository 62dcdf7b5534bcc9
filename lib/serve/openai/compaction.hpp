#pragma once

#include "conversation_input.hpp"
#include "serve/http/api_call.hpp"
#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>

#include <boost/json/object.hpp>

#include <string>

namespace weft::serve_detail {

/** What opens the compaction items of a tenant in a request's body. Items are sealed with a key that all processes on a
 *  store have: what a client sends back is what it was given, whole, and of its tenant. */
[[nodiscard]] task<compaction_opener> opener_for(serve_core& core, std::string tenant, boost::json::object body);

/** `POST /v1/responses/compact`: the conversation of a request as one item, opaque to its client. It loses nothing: a
 *  graph gets the same messages later. */
[[nodiscard]] task<void> compact_conversation(serve_core& core, api_call& call);

/** `POST /v1/responses/input_tokens`: about how many tokens a request is, by an estimate without a tokenizer. */
[[nodiscard]] task<void> count_input_tokens(serve_core& core, api_call& call);

}  // namespace weft::serve_detail
