#pragma once

#include <weft/agent/remote/http_node_options.hpp>
#include <weft/async/task.hpp>
#include <weft/graph/spec/spec_duration.hpp>
#include <weft/tool/tool.hpp>

#include <boost/describe/class.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

class node_context;
class state_layout;
struct node_spec;

namespace agent_detail {
struct openai_plan;
struct openai_agent;
}

/** An agent that speaks OpenAI's API, and what it is asked. */
struct openai_agent_settings {
    static constexpr std::array<std::string_view, 2> required_members{"url", "model"};
    std::string url = {};              ///< What stands before `/responses`: `https://agents.example/v1`.
    std::string model = {};            ///< The agent, as its server calls it.
    std::string api = "responses";     ///< Or `chat`: chat completions.
    std::string instructions = {};     ///< A template.
    std::string message = {};          ///< A template; empty: what the node reads, as JSON.
    std::string key = {};              ///< The name of a variable of the environment; empty: none is sent.
    std::string key_header = "Authorization";         ///< `Authorization` gets `Bearer` before the key.
    std::map<std::string, std::string> headers = {};  ///< No secrets.
    /** The key that keeps the conversation from one visit to the next; empty: none. A text for `responses`, a list of
     *  messages for `chat`. */
    std::string conversation = {};
    bool background = false;                   ///< The response goes on without its connection; of `responses` only.
    std::optional<spec_duration> timeout = {}; ///< Of an answer; not given: five minutes, an hour in the background.
    std::int64_t reply_bytes_max = 1024 * 1024;  ///< Of an answer.
    std::optional<double> input_price = {};    ///< US dollars for a million tokens; without prices the cost is unknown.
    std::optional<double> output_price = {};
    std::string into = {};  ///< The key that gets the answer.
};
BOOST_DESCRIBE_STRUCT(openai_agent_settings, (),
                      (url, model, api, instructions, message, key, key_header, headers, conversation, background,
                       timeout, reply_bytes_max, input_price, output_price, into))

/** A node that has an agent of another system answer, over OpenAI's Responses or chat completions: the kind
 *  `openai_agent` of graph files in C++.
 *
 *      weft::openai_agent_settings settings;
 *      settings.url = "https://agents.example/v1";
 *      settings.model = "translator";
 *      settings.message = "Translate into French: {text}";
 *      builder.node("translate", weft::openai_agent_node{settings, {"translation"}, program})
 *
 *  Watchers of the run hear the answer as it comes, as `output`, with `retract` if it does not count, and `usage`. Its
 *  text is written into the one key of `writes`; with several keys it is JSON, whose members go to the keys of their
 *  names.
 *
 *  A call of the function `weft_question`, by which servers of weft ask people, makes its question one of our run, with
 *  its schema; the answer goes back as the output of that call.
 *
 *  Each answer is an effect of the visit, with the effect's key as its `Idempotency-Key`: the same in each attempt,
 *  after a crash and in a resumed run, and it is not asked for again once it was recorded. With `background` the order
 *  is an effect of its own: a run that goes on after a crash follows the response that was ordered, by its id. A
 *  response that has failed is ordered anew by the node's next attempt. An answer counts as a tool call and a model
 *  call in the run's budget, with its tokens and, with prices, its cost.
 *
 *  @par Errors   In a run, with the node and the agent's address:
 *    - `errc::agent_refused`   the agent refuses, its answer is incomplete, or it calls a function that nodes do not
 *                              have; not tried again.
 *    - those of `responses_model` and `openai_model`, and of the kind `http` for addresses, keys and writes.
 *  @par Cancellation   Closes the connection; a response in the background is cancelled.
 *  @par Thread safety  A graph with it runs on many loops at once. */
class openai_agent_node {
public:
    /** @param writes   Keys of the graph that it may write; at most one if the agent answers with texts.
     *  @par Errors     `errc::invalid_configuration`, `errc::invalid_url`. */
    openai_agent_node(openai_agent_settings settings, std::vector<std::string> writes,
                      http_node_options program = http_node_options{});
    explicit openai_agent_node(std::shared_ptr<const agent_detail::openai_plan> plan) noexcept
        : plan_{std::move(plan)}
    {
    }

    [[nodiscard]] task<void> operator()(node_context& node) const;
    bool describe(node_spec& into, const state_layout& layout) const;
    [[nodiscard]] std::vector<std::string> written_keys(const state_layout& layout) const;

private:
    std::shared_ptr<const agent_detail::openai_plan> plan_;
};

/** What a tool that is an agent of another system is called. */
struct openai_agent_tool_options {
    openai_agent_tool_options() {}

    std::string name = "ask_agent";
    std::string description = "Asks another agent, and gives back what it says.";
    /** As for the node; `instructions` is a text, `message`, `conversation`, `background` and `into` are not used. */
    openai_agent_settings agent = {};
    http_node_options program{};
};

/** An agent behind OpenAI's API as a tool: models give it a `message`. With `responses` its result has the id of the
 *  response, by which the model goes on in another call. An agent that asks back gives its question as the result, with
 *  the id of the call under which the model answers.
 *
 *  @par Errors   `errc::invalid_configuration`, `errc::invalid_url`. In a call those of `openai_agent_node`: error
 *                results. */
[[nodiscard]] std::shared_ptr<tool> openai_agent_tool(openai_agent_tool_options options);

}  // namespace weft
