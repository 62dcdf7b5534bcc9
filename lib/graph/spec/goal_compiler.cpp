#include "goal_compiler.hpp"

#include <set>
#include <utility>

namespace weft::spec_detail {

namespace {

void check_budget(compilation& in, const budget_spec& from, const json_path& at)
{
    const auto check = [&](std::string_view member, const std::optional<std::int64_t>& amount) {
        if (amount.value_or(0) < 0) in.mistake(json_path{at, member}, "is an amount: 0 or more");
    };
    check("tokens", from.tokens);
    check("model_calls", from.model_calls);
    check("tool_calls", from.tool_calls);
    check("turns", from.turns);
    const double usd = from.usd.value_or(0);
    if (!(usd >= 0 && usd <= 1e9)) in.mistake(json_path{at, "usd"}, "is an amount from 0 to 1000000000");
}

}  // namespace

void add_goal(compilation& in)
{
    if (!in.spec.goal) return;
    const goal_spec& from = *in.spec.goal;
    const json_path at{in.at, "goal"};
    const json_path criteria{at, "criteria"};
    const json_path constraints{at, "constraints"};
    weft::goal what{from.name, from.description, {}, {}, from.weight_needed};
    // Criteria and constraints share their ids: reports of a run list both by id.
    std::set<std::string> ids;
    const auto check_id = [&](const std::string& id, const json_path& item) {
        if (id.empty()) in.mistake(json_path{item, "id"}, "is empty: give it a name");
        else if (!ids.insert(id).second)
            in.mistake(json_path{item, "id"}, "'" + id + "' is there already: ids are unique");
    };
    for (std::size_t i = 0; i < from.criteria.size(); ++i) {
        const criterion_spec& criterion = from.criteria[i];
        const json_path item{criteria, i};
        check_id(criterion.id, item);
        if (!(criterion.weight >= 0 && criterion.weight <= 1e9))
            in.mistake(json_path{item, "weight"}, "is out of range: a weight is 0 to 1000000000");
        what.criteria.push_back({criterion.id, criterion.description, criterion.weight,
                                 in.condition(criterion.met_when, json_path{item, "met_when"})});
    }
    for (std::size_t i = 0; i < from.constraints.size(); ++i) {
        const constraint_spec& constraint = from.constraints[i];
        const json_path item{constraints, i};
        check_id(constraint.id, item);
        what.constraints.push_back({constraint.id, constraint.description, constraint.hard,
                                    in.condition(constraint.kept_when, json_path{item, "kept_when"})});
    }
    if (!(from.weight_needed >= 0 && from.weight_needed <= 1))
        in.mistake(json_path{at, "weight_needed"}, "is a part of all weight: from 0 to 1");
    in.builder.goal(std::move(what));
}

void check_limits(compilation& in)
{
    const limits_spec& limits = in.spec.limits;
    const json_path at{in.at, "limits"};
    if (limits.budget) check_budget(in, *limits.budget, json_path{at, "budget"});
    // A setting that nothing enforces would mislead, so it is refused and not ignored.
    if (in.around.depth == 0) return;
    const auto refuse = [&](bool is_given, std::string_view member) {
        if (is_given)
            in.mistake(json_path{at, member}, "has no effect in a graph inside another one: leave it out, or set it "
                                              "for the outer graph");
    };
    refuse(limits.in_a_row_max.has_value(), "in_a_row_max");
    refuse(limits.in_flight_max.has_value(), "in_flight_max");
    refuse(limits.node_timeout.has_value(), "node_timeout");
    refuse(limits.elapsed_max.has_value(), "elapsed_max");
    refuse(limits.budget.has_value(), "budget");
    refuse(limits.reserve.has_value(), "reserve");
    if (in.spec.goal)
        in.mistake(json_path{in.at, "goal"}, "is not judged in a graph inside another one: give it to the outer graph");
}

}  // namespace weft::spec_detail
