#pragma once

#include <weft/graph/edge/edge.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** What a run must achieve, in part or in whole. */
struct goal_criterion {
    std::string id;
    std::string description = {};
    double weight = 1;            ///< Its part of the goal; not negative.
    edge_predicate is_met;        ///< Looks at the state at the end of the run. If it throws, the criterion is not met.
};

/** What a run must not do. */
struct goal_constraint {
    std::string id;
    std::string description = {};
    bool is_hard = true;          ///< A hard constraint that is not kept means that the goal is not met.
    edge_predicate is_kept;       ///< Looks at the state at the end of the run. If it throws, it is not kept.
};

/** What the runs of a graph are for. It is judged once, when a run has finished; it steers nothing by itself. */
struct goal {
    std::string name;
    std::string description = {};
    std::vector<goal_criterion> criteria = {};
    std::vector<goal_constraint> constraints = {};
    double weight_needed = 0.9;   ///< Which part of all weight must be met.
};

/** How a run stands to its goal. */
struct goal_report {
    bool is_met = false;
    double weight_met = 0;        ///< From 0 to 1; 1 for a goal without criteria.
    std::vector<std::string> unmet;     ///< Ids of criteria.
    std::vector<std::string> violated;  ///< Ids of constraints, soft ones too.
};

[[nodiscard]] goal_report judge(const goal& what, const state_view& at_end);

/** The goal as text for a model: its description, criteria, and constraints marked `[MUST]` or `[SHOULD]`; empty if it
 *  says nothing. */
[[nodiscard]] std::string to_text(const goal& what);

}  // namespace weft
