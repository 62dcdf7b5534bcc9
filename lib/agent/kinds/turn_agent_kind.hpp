#pragma once

#include <weft/agent/guard/guard_settings.hpp>
#include <weft/agent/turn_agent.hpp>
#include <weft/graph/node_registry.hpp>
#include <weft/graph/spec/spec_duration.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** The budget of a turn agent as a graph file says it; what is left out is as in `turn_budget`. */
struct turn_budget_settings {
    std::optional<std::int64_t> turns = {};
    std::optional<std::int64_t> tokens = {};
    std::optional<double> usd = {};            ///< Needs models whose prices are known.
    std::optional<spec_duration> time = {};    ///< Since it began, whatever it waits for.
    std::optional<std::int64_t> tool_calls = {};
    std::optional<spec_duration> working_time = {};  ///< In models and tools; not given: unlimited.

    bool operator==(const turn_budget_settings&) const = default;
};
BOOST_DESCRIBE_STRUCT(turn_budget_settings, (), (turns, tokens, usd, time, tool_calls, working_time))

/** A turn agent as a graph file says it. `system` and `prompt` are templates; see `prompt_template`. */
struct turn_agent_settings : agent_settings {
    std::string system = {};
    std::string prompt = {};                       ///< Its task; empty: the values of the keys that the node reads.
    std::vector<std::string> models = {};          ///< Names of models, the most capable first; instead of `model`.
    std::map<std::string, std::string> hands_over = {};  ///< Nodes that it may hand over to, and when, for the model.
    turn_budget_settings budget = {};
    std::optional<std::int64_t> nudges_max = {};         ///< Empty replies in a row; one more and it has failed.
    std::optional<std::int64_t> retries_max = {};        ///< Calls of models that fail, in a turn.
    std::optional<std::int64_t> result_chars_max = {};   ///< Of a tool's result that the model sees.
    std::vector<std::string> scripted = {};  ///< The replies when there is no model: one a turn, the last again.
};
BOOST_DESCRIBE_STRUCT(turn_agent_settings, (agent_settings),
                      (system, prompt, models, hands_over, budget, nudges_max, retries_max, result_chars_max, scripted))

/** The kind `turn_agent` of graph files: nodes that are a `turn_agent`, with `turn_agent_settings`. What its answer
 *  gives values to stands in the node's `writes`, as for the kind `llm`.
 *
 *  A node whose agent has no answer fails: with `errc::budget_exhausted` if a budget is used up, so that an edge of the
 *  kind `on_budget` leads on, `errc::model_overloaded` and `errc::model_rejected` if its models failed,
 *  `errc::guardrail_tripped`, else with `errc::invalid_output`. It tries again by itself, so it has one attempt for
 *  each visit. Without a `timeout` of its own the node may take an hour longer than the agent's budget of time.
 *
 *  @param model     Null for dry runs: scripted replies, whose texts may call tools (`find_calls_in_text`).
 *  @param program   What files cannot say: policy, hooks, mailbox, view; `tools` are those that files can name, and
 *                   `budget` is what they begin with. A node's address in the mailbox is `<thread>/<node>`.
 *  @param knows_prices   False: no reply says its cost, so that `budget.usd` is a mistake. */
[[nodiscard]] node_kind turn_agent_kind(std::shared_ptr<chat_model> model, turn_agent_options program = {},
                                        bool knows_prices = true);

}  // namespace weft
