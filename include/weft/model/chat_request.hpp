#pragma once

#include <weft/base/list.hpp>
#include <weft/base/text/trace_context.hpp>
#include <weft/base/units.hpp>
#include <weft/chat/message.hpp>
#include <weft/chat/tool_choice.hpp>
#include <weft/chat/tool_spec.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

class budget_ledger;

/** The shape that the text of a reply must have. Providers may ignore it: validate what comes back. */
struct output_schema {
    std::string name = "answer";  ///< `[A-Za-z0-9_-]`, 1 to 64 characters.
    std::string description{};
    boost::json::value schema{};  ///< JSON Schema, an object; null asks for any JSON object.
    bool strict = true;           ///< Ask the provider to hold the model to the schema.

    friend bool operator==(const output_schema&, const output_schema&) = default;
};

/** What a model is asked. A value; messages and tools are persistent lists, so that a copy costs next to nothing.
 *
 *      weft::chat_request request;
 *      request.system("Be brief.").user("What is rain?");
 *      request.temperature = 0.2;
 *      weft::chat_reply reply = co_await model.reply(std::move(request), sink);
 *
 *  What is not set is left to the provider.
 */
struct chat_request {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    chat_request() {}
    explicit chat_request(list<message> conversation) : messages{std::move(conversation)} {}

    chat_request& add(message next) { return messages.push_back(std::move(next)), *this; }
    chat_request& system(std::string text) { return add(message::system(std::move(text))); }
    chat_request& user(std::string text) { return add(message::user(std::move(text))); }
    chat_request& tool(tool_spec spec) { return tools.push_back(std::move(spec)), *this; }

    std::string model;       ///< Another model than the one that the `chat_model` was made for.
    list<message> messages;  ///< The conversation, oldest first; at least one.

    list<tool_spec> tools;
    weft::tool_choice tool_choice;            ///< Ignored without tools.
    std::optional<bool> parallel_tool_calls;  ///< Ignored without tools.

    std::optional<output_schema> output;

    std::optional<double> temperature;
    std::optional<double> top_p;
    std::optional<std::int64_t> seed;
    std::optional<tokens> output_max;  ///< Most tokens to write, reasoning included.
    std::vector<std::string> stop;     ///< Texts that end the reply; providers take up to four.
    std::string reasoning_effort;      ///< In the provider's words, e.g. `low`.

    /** Names this call at the provider, the same for every attempt at it; sent as `Idempotency-Key`. */
    std::string call_id;
    /** For limits, caches and logs on the way, e.g. the tenant; never sent. */
    std::map<std::string, std::string> labels;
    /** What the call is paid from; null: it is not counted. Never sent. */
    std::shared_ptr<budget_ledger> budget;
    /** The trace that the call belongs to, sent as `traceparent` and `tracestate`; null: none. */
    std::shared_ptr<const trace_context> trace;
    /** Joins the body at its top level, over everything that weft puts there: no typed API keeps up with providers. */
    boost::json::object extra_body;
};

}  // namespace weft
