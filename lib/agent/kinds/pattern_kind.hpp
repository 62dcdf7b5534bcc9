#pragma once

#include <weft/agent/core/agent_settings.hpp>
#include <weft/graph/node_registry.hpp>
#include <weft/model/chat_model.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** How several agents work; see `weft::patterns`. */
enum class pattern_choice : std::uint8_t { sequence, concurrent, debate, plan_and_execute, map_reduce };
BOOST_DESCRIBE_ENUM(pattern_choice, sequence, concurrent, debate, plan_and_execute, map_reduce)

/** One who takes part, as a graph file says it: a model with a character. */
struct pattern_member : sampling_settings {
    static constexpr std::array<std::string_view, 1> required_members{"name"};

    std::string name = {};
    std::string system = {};                    ///< Who it is; as it stands, braces are no places.
    std::vector<std::string> scripted = {};     ///< The replies when there is no model; see `llm_settings`.

    friend bool operator==(const pattern_member&, const pattern_member&) = default;
};
BOOST_DESCRIBE_STRUCT(pattern_member, (sampling_settings), (name, system, scripted))

/** What a node of several agents does, as a graph file says it. */
struct pattern_settings {
    static constexpr std::array<std::string_view, 3> required_members{"pattern", "task", "members"};

    pattern_choice pattern = pattern_choice::sequence;
    std::string task = {};                       ///< A template; see `prompt_template`.
    std::vector<pattern_member> members = {};       ///< Of `plan_and_execute` and `map_reduce` one.
    std::optional<pattern_member> judge = {};       ///< Of `concurrent`: names the best; not given: the majority.
    std::optional<pattern_member> planner = {};     ///< Of `plan_and_execute`; of `map_reduce` divides, else by lines.
    std::optional<pattern_member> editor = {};      ///< Of `map_reduce`: makes one answer of those to the items.
    std::optional<std::int64_t> rounds_max = {};       ///< Of `debate`.
    std::optional<std::int64_t> plans_max = {};        ///< Of `plan_and_execute`.
    std::optional<std::int64_t> steps_max = {};        ///< Of `plan_and_execute`.
    std::optional<std::int64_t> items_max = {};        ///< Of `map_reduce`.
    std::optional<std::int64_t> concurrency_max = {};  ///< Of `concurrent` and `map_reduce`.
    guards_settings guards = {};  ///< What looks at the task, once and before the work, and at all that is answered.
};
BOOST_DESCRIBE_STRUCT(pattern_settings, (),
                      (pattern, task, members, judge, planner, editor, rounds_max, plans_max, steps_max, items_max,
                       concurrency_max, guards))

/** The kind `pattern` of graph files: several agents at one task, whose answer is the value of the one key, a text, in
 *  the node's `writes`.
 *
 *  @param model   Null for dry runs; see `llm_node`. */
[[nodiscard]] node_kind pattern_kind(std::shared_ptr<chat_model> model);

}  // namespace weft
