#pragma once

#include <weft/agent/guard/guard_settings.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {

struct chat_request;

/** How a model is asked. The settings of everything that asks one in a graph file begin with these members: agents of
 *  each kind, sub-agents, workers, members of teams and patterns.
 *
 *      weft::react_options options;
 *      options.settings.temperature = 0.2;
 */
struct sampling_settings {
    std::string model = {};                       ///< Another model than the one that the program has.
    std::optional<double> temperature = {};       ///< 0 to 100; hosted models take 2 at most.
    std::optional<std::int64_t> output_max = {};  ///< Most tokens of a reply.

    /** What is wrong, each as `member: text`. */
    [[nodiscard]] std::vector<std::string> faults() const;
    /** Has a request say so. */
    void apply_to(chat_request& request) const;

    friend bool operator==(const sampling_settings&, const sampling_settings&) = default;
};
BOOST_DESCRIBE_STRUCT(sampling_settings, (), (model, temperature, output_max))

/** What an agent of a graph file may call, and what looks at its work. */
struct agent_settings : sampling_settings {
    std::vector<std::string> tools = {};  ///< Tools of the program that its model may call; empty: none.
    agent_guards_settings guards = {};    ///< Checks of its prompts, replies, calls and results.

    /** As `sampling_settings::faults`, of the guardrails too. */
    [[nodiscard]] std::vector<std::string> faults() const;

    friend bool operator==(const agent_settings&, const agent_settings&) = default;
};
BOOST_DESCRIBE_STRUCT(agent_settings, (sampling_settings), (tools, guards))

}  // namespace weft
