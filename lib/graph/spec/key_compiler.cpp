#include "spec_compiler.hpp"

#include <weft/graph/graph_spec_writer.hpp>

#include <set>
#include <utility>

namespace weft::spec_detail {

namespace {

std::string_view name_of(spec_reducer reducer)
{
    constexpr std::array<std::string_view, 6> names{"replace", "append", "add", "merge", "min", "max"};
    return names[static_cast<std::size_t>(reducer)];
}

std::string reducers_of(const spec_key_types& types)
{
    std::string text;
    for (std::size_t i = 0; i < types.size(); ++i)
        if (types[i]) text.append(text.empty() ? "" : ", ").append(name_of(static_cast<spec_reducer>(i)));
    return text;
}

}  // namespace

void spec_compiler::add_keys()
{
    const json_path state{at_, "state"};
    for (const key_spec& key : spec_.state) key_names_.emplace_back(key.name);
    declared_keys_.insert(key_names_.begin(), key_names_.end());
    for (std::size_t i = 0; i < spec_.state.size(); ++i) add_key(spec_.state[i], json_path{state, i});
}

/** The key of the conversation of all nodes, where the file or its defaults have one. */
void spec_compiler::add_conversation()
{
    const json_path at{at_, "conversation"};
    const std::optional<graph_conversation>& offered = around_.registry.conversation();
    const bool is_asked_for = spec_.conversation == spec_conversation::continuous;
    if (!is_asked_for) {
        const auto talks = [&](const node_spec& node) {
            const node_kind* const kind = around_.registry.kind(node.kind);
            return kind && kind->converses;
        };
        const bool is_default = !spec_.conversation && spec_.defaults == spec_defaults::hive && offered &&
                                std::any_of(spec_.nodes.begin(), spec_.nodes.end(), talks);
        if (!is_default) return;
    } else if (!offered) {
        return mistake(at, "needs the kinds of agents, which this program has not registered");
    }
    const std::string name{offered->key.name};
    if (layout_.find(name) != state_layout::none) {
        const std::string text = "the key '" + name + "' of the state is the place of the conversation of all nodes: "
                                                      "give the key another name";
        if (is_asked_for) return mistake(at, text);
        return around_.warnings.push_back(text + ", or write \"conversation\": \"isolated\"; until then each node "
                                                 "talks for itself");
    }
    layout_.add(offered->key);
    builder_.conversation(*offered);
    key_names_.emplace_back(offered->key.name);
    has_conversation_ = true;
}

void spec_compiler::add_key(const key_spec& key, const json_path& at)
{
    if (key.name.empty() && how_.has_all_names) mistake(at, "the key has no name: give it one");
    if (key.name.empty()) return;
    const spec_key_types* const types = around_.registry.type(key.type);
    if (key.type == unnamed_type)
        return mistake(json_path{at, "type"}, "is a type of a C++ program that has no name: register it by "
                                              "one (`add_type` of the registry of nodes) and write that");
    if (!types)
        return mistake(json_path{at, "type"}, "there is no type '" + key.type + "'" +
                                                  known_names(around_.mistakes, key.type,
                                                              around_.registry.type_names()));
    const key_type* const type = (*types)[static_cast<std::size_t>(key.reducer)];
    if (!type)
        return mistake(json_path{at, "reducer"}, "'" + std::string{name_of(key.reducer)} +
                                                     "' has no meaning for the type '" + key.type +
                                                     "'; possible: " + reducers_of(*types));
    if (layout_.find(key.name) != state_layout::none)
        return mistake(json_path{at, "name"}, "there is a key '" + key.name + "' already: names are unique");
    const any_state_key declared{key.name, hash_of_name(key.name), type};
    layout_.add(declared);
    builder_.state(declared);
    if (key.conflict) builder_.conflict(declared, *key.conflict);
    if (key.initial) set_initial(key, declared, at);
}

void spec_compiler::set_initial(const key_spec& key, const any_state_key& declared, const json_path& at)
{
    try {
        builder_.initial(declared, declared.type->value->from_json(*key.initial));
    } catch (const error& e) {
        mistake(json_path{at, "initial"}, "is no value of the type '" + key.type + "': " + e.detail());
    }
}

/** Whether a name may be one of a key: one that is declared with a mistake is not told again. */
bool spec_compiler::may_be_key(const std::string& name) const
{
    return layout_.find(name) != state_layout::none || !how_.has_all_names ||
           declared_keys_.contains(name);
}

void spec_compiler::check_key(const std::string& name, const json_path& at)
{
    if (!may_be_key(name))
        mistake(at, "there is no key '" + name + "'" + known_names(around_.mistakes, name, key_names_));
}

void spec_compiler::check_keys(const std::vector<std::string>& names, const json_path& at)
{
    for (std::size_t i = 0; i < names.size(); ++i) check_key(names[i], json_path{at, i});
}

void spec_compiler::check_mapping(const std::map<std::string, std::string>& map, const json_path& at)
{
    for (const auto& [target, source] : map) {
        const json_path member{at, target};
        if (!may_be_key(target))
            around_.mistakes.add_at_name(member, "there is no key '" + target + "'" +
                                                     known_names(around_.mistakes, target, key_names_));
        check_key(source, member);
        const std::uint32_t to = layout_.find(target);
        const std::uint32_t from = layout_.find(source);
        if (to != state_layout::none && from != state_layout::none &&
            layout_[to].type->value != layout_[from].type->value)
            mistake(member, "'" + target + "' and '" + source + "' have values of different types");
    }
}

void spec_compiler::add_memory()
{
    if (!spec_.memory) return;
    const memory_spec& from = *spec_.memory;
    graph_memory memory{from.scope, from.items_max, from.value_bytes_max, {}};
    if (from.keep_for)
        memory.keep_for = std::chrono::duration_cast<std::chrono::milliseconds>(from.keep_for->span());
    const json_path at{at_, "memory"};
    const json_path scope{at, "scope"};
    if (how_.has_all_names)
        for (const graph_memory_mistake& wrong : mistakes_of(memory, layout_))
            mistake(json_path{scope, wrong.name}, wrong.text);
    builder_.memory(std::move(memory));
}

void spec_compiler::add_goal()
{
    if (!spec_.goal) return;
    const goal_spec& from = *spec_.goal;
    const json_path at{at_, "goal"};
    const json_path criteria{at, "criteria"};
    const json_path constraints{at, "constraints"};
    weft::goal what{from.name, from.description, {}, {}, from.weight_needed};
    std::set<std::string> ids;
    const auto check_id = [&](const std::string& id, const json_path& item) {
        if (id.empty()) mistake(json_path{item, "id"}, "is empty: give it a name");
        else if (!ids.insert(id).second)
            mistake(json_path{item, "id"}, "'" + id + "' is there already: ids are unique");
    };
    for (std::size_t i = 0; i < from.criteria.size(); ++i) {
        const criterion_spec& criterion = from.criteria[i];
        const json_path item{criteria, i};
        check_id(criterion.id, item);
        if (!(criterion.weight >= 0 && criterion.weight <= 1e9))
            mistake(json_path{item, "weight"}, "is out of range: a weight is 0 to 1000000000");
        what.criteria.push_back({criterion.id, criterion.description, criterion.weight,
                                 condition(criterion.met_when, json_path{item, "met_when"})});
    }
    for (std::size_t i = 0; i < from.constraints.size(); ++i) {
        const constraint_spec& constraint = from.constraints[i];
        const json_path item{constraints, i};
        check_id(constraint.id, item);
        what.constraints.push_back({constraint.id, constraint.description, constraint.hard,
                                    condition(constraint.kept_when, json_path{item, "kept_when"})});
    }
    if (!(from.weight_needed >= 0 && from.weight_needed <= 1))
        mistake(json_path{at, "weight_needed"}, "is a part of all weight: from 0 to 1");
    builder_.goal(std::move(what));
}

void spec_compiler::check_budget(const budget_spec& from, const json_path& at)
{
    const auto check = [&](std::string_view member, const std::optional<std::int64_t>& amount) {
        if (amount.value_or(0) < 0) mistake(json_path{at, member}, "is an amount: 0 or more");
    };
    check("tokens", from.tokens);
    check("model_calls", from.model_calls);
    check("tool_calls", from.tool_calls);
    check("turns", from.turns);
    const double usd = from.usd.value_or(0);
    if (!(usd >= 0 && usd <= 1e9)) mistake(json_path{at, "usd"}, "is an amount from 0 to 1000000000");
}

void spec_compiler::check_limits()
{
    const limits_spec& limits = spec_.limits;
    const json_path at{at_, "limits"};
    if (limits.budget) check_budget(*limits.budget, json_path{at, "budget"});
    if (around_.depth == 0) return;
    const auto refuse = [&](bool is_given, std::string_view member) {
        if (is_given)
            mistake(json_path{at, member}, "has no effect in a graph inside another one: leave it out, or set it for "
                                           "the outer graph");
    };
    refuse(limits.in_a_row_max.has_value(), "in_a_row_max");
    refuse(limits.in_flight_max.has_value(), "in_flight_max");
    refuse(limits.node_timeout.has_value(), "node_timeout");
    refuse(limits.elapsed_max.has_value(), "elapsed_max");
    refuse(limits.budget.has_value(), "budget");
    refuse(limits.reserve.has_value(), "reserve");
    if (spec_.goal)
        mistake(json_path{at_, "goal"}, "is not judged in a graph inside another one: give it to the outer graph");
}

}  // namespace weft::spec_detail
