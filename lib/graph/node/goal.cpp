#include <weft/graph/node/goal.hpp>

namespace weft {

namespace {

bool holds(const edge_predicate& predicate, const state_view& at_end) noexcept
{
    try {
        return predicate && predicate(at_end);
    } catch (...) {
        return false;  // a judgement that cannot be made is not in the run's favour
    }
}

}  // namespace

goal_report judge(const goal& what, const state_view& at_end)
{
    goal_report report;
    double all = 0;
    double met = 0;
    for (const goal_criterion& criterion : what.criteria) {
        all += criterion.weight;
        if (holds(criterion.is_met, at_end))
            met += criterion.weight;
        else
            report.unmet.push_back(criterion.id);
    }
    bool is_kept = true;
    for (const goal_constraint& constraint : what.constraints) {
        if (holds(constraint.is_kept, at_end)) continue;
        report.violated.push_back(constraint.id);
        // A soft constraint is reported and fails nothing.
        is_kept &= !constraint.is_hard;
    }
    report.weight_met = all > 0 ? met / all : 1;
    report.is_met = is_kept && met >= what.weight_needed * all;
    return report;
}

std::string to_text(const goal& what)
{
    std::string text;
    if (what.description.empty() && what.criteria.empty() && what.constraints.empty()) return text;
    text.append("Goal: ").append(what.name).append("\n");
    if (!what.description.empty()) text.append(what.description).append("\n");
    for (const goal_criterion& criterion : what.criteria)
        text.append("- ").append(criterion.description.empty() ? criterion.id : criterion.description).append("\n");
    for (const goal_constraint& constraint : what.constraints)
        text.append(constraint.is_hard ? "[MUST] " : "[SHOULD] ")
            .append(constraint.description.empty() ? constraint.id : constraint.description)
            .append("\n");
    return text;
}

}  // namespace weft
