#include "edge_compiler.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace weft::spec_detail {

namespace {

constexpr std::chrono::seconds hive_branch_timeout{300};

branch_policy policy_of(const fan_out_spec& from)
{
    switch (from.policy) {
    case spec_policy::fail_all: return branch_policy::fail_all;
    case spec_policy::continue_others: return branch_policy::continue_others;
    case spec_policy::wait_all: return branch_policy::wait_all;
    case spec_policy::first_success: return branch_policy::first_success;
    case spec_policy::quorum: return branch_policy::quorum(from.quorum);
    }
    return branch_policy::fail_all;
}

edge_options edge_options_of(const edge_spec& edge)
{
    edge_options options{edge.priority, edge.label, {}, edge.after, edge.streams};
    for (const auto& [target, source] : edge.map) options.map.push_back({target, source});
    return options;
}

/** Reports members that mean nothing to the kind of the edge. */
void check_edge_members(compilation& in, const edge_spec& edge, const json_path& at)
{
    using enum spec_edge_kind;
    const spec_edge_kind kind = edge.effective_kind();
    const auto refuse = [&](bool is_given, std::string_view member, const char* why) {
        if (!is_given) return;
        if (member.empty()) return in.mistake(at, why);
        in.mistake(json_path{at, member}, why);
    };
    const bool is_llm = kind == llm;
    const char* const only_llm = "belongs to an edge of the kind 'llm' only";
    refuse(!edge.targets.empty() && !is_llm, "targets", only_llm);
    refuse(!edge.fallback.empty() && !is_llm, "fallback", only_llm);
    refuse(!edge.instructions.empty() && !is_llm, "instructions", only_llm);
    refuse(!edge.model.empty() && !is_llm, "model", only_llm);
    refuse(edge.timeout.has_value() && !is_llm, "timeout", only_llm);
    refuse(!edge.to.empty() && is_llm, "to", "an edge of the kind 'llm' has 'targets' instead");
    refuse(!edge.map.empty() && is_llm, "map", "an edge of the kind 'llm' maps nothing: let the nodes behind it");
    refuse(edge.priority != 0 && is_llm, "priority", "an edge of the kind 'llm' has none: a model chooses");
    refuse(!edge.label.empty() && is_llm, "label", "an edge of the kind 'llm' has none");
    refuse(edge.priority != 0 && kind == labelled, "priority", "an edge of the kind 'labelled' has none: the label "
                                                               "decides");
    refuse(edge.label.empty() && kind == labelled, {}, "the edge has no 'label': name the answer that leads there");
    refuse(edge.when.empty() && kind == when, {}, "the edge has no 'when': write an expression");
    refuse(edge.after != edge_after::success && kind != when, "after",
           "belongs to a conditional edge: write an edge of the kind 'on_failure' or 'always'");
    refuse(edge.streams && kind != plain && kind != on_success, "streams",
           "belongs to an edge that is always taken after success: one of the kind 'plain' or 'on_success'");
    refuse(edge.streams && !edge.map.empty(), "map",
           "moves values that are not there yet, for the edge has 'streams': leave one of them out");
    refuse(!edge.when.empty() && kind != when, "when",
        "belongs to an edge of the kind 'when' only: leave out the kind");
}

void add_decision(compilation& in, const edge_spec& edge, const json_path& at)
{
    const json_path targets{at, "targets"};
    for (std::size_t i = 0; i < edge.targets.size(); ++i) in.check_node(edge.targets[i], json_path{targets, i});
    if (edge.targets.empty()) in.missing(at, "targets", "the edge leads nowhere: give it 'targets' to choose among");
    if (edge.fallback.empty())
        in.missing(at, "fallback", "the edge has no 'fallback': say where to go without a usable answer");
    else in.check_node(edge.fallback, json_path{at, "fallback"});
    llm_options options{.fallback = edge.fallback, .instructions = edge.instructions, .model = edge.model};
    if (edge.timeout) options.timeout = edge.timeout->span();
    in.builder.edge_llm(edge.from, edge.targets, std::move(options));
}

void add_edge(compilation& in, const edge_spec& edge, const json_path& at)
{
    check_edge_members(in, edge, at);
    // Without `from`, which is reported, the edge says nothing of its nodes.
    if (edge.from.empty() && !in.has_all_names) return;
    if (edge.from != weft::start) in.check_node(edge.from, json_path{at, "from"}, false);
    if (edge.effective_kind() == spec_edge_kind::llm) return add_decision(in, edge, at);
    if (edge.to.empty()) return in.missing(at, "to", "the edge leads nowhere: give it 'to'");
    in.check_node(edge.to, json_path{at, "to"});
    in.check_mapping(edge.map, json_path{at, "map"});
    switch (edge.effective_kind()) {
    case spec_edge_kind::plain: in.builder.edge(edge.from, edge.to, edge_options_of(edge)); break;
    case spec_edge_kind::on_success: in.builder.edge_on_success(edge.from, edge.to, edge_options_of(edge)); break;
    case spec_edge_kind::on_failure: in.builder.edge_on_failure(edge.from, edge.to, edge_options_of(edge)); break;
    case spec_edge_kind::on_budget: in.builder.edge_on_budget(edge.from, edge.to, edge_options_of(edge)); break;
    case spec_edge_kind::always: in.builder.edge_always(edge.from, edge.to, edge_options_of(edge)); break;
    case spec_edge_kind::labelled:
        in.builder.edge_label(edge.from, {{edge.label, edge.to}}, edge_options_of(edge));
        break;
    case spec_edge_kind::when:
        in.add_condition(edge.from, edge.to, edge.when, json_path{at, "when"}, edge_options_of(edge));
        break;
    case spec_edge_kind::llm: break;
    }
}

void add_fan_out(compilation& in, const fan_out_spec& fan_out, const json_path& at)
{
    if (fan_out.from != weft::start && (!fan_out.from.empty() || in.has_all_names))
        in.check_node(fan_out.from, json_path{at, "from"}, false);
    if (!fan_out.join.empty()) {
        in.check_node(fan_out.join, json_path{at, "join"}, false);
        in.builder.fan_in(fan_out.from, fan_out.join);
    }
    if (fan_out.policy == spec_policy::quorum && fan_out.quorum == 0)
        in.mistake(at, "the policy 'quorum' needs 'quorum', how many successes are enough: at least 1");
    if (fan_out.policy != spec_policy::quorum && fan_out.quorum != 0)
        in.mistake(json_path{at, "quorum"}, "belongs to the policy 'quorum' only");
    fan_out_options options = fan_out_options_of(fan_out, in.spec.defaults);
    if (!fan_out.until.empty()) {
        const json_path place{at, "until"};
        options.until = in.condition(fan_out.until, place);
        // Two rules that end a fan-out early would leave open which branches the join sees.
        if (options.on_failure.needed() > 0)
            in.mistake(place, "does not go with a policy that counts successes: choose fail_all, continue_others or "
                              "wait_all");
    }
    in.builder.fan_out(fan_out.from, std::move(options));
}

/** Fan-outs that the file does not describe have Hive's limit too. */
void add_default_fan_outs(compilation& in)
{
    std::unordered_set<std::string_view> described;
    for (const fan_out_spec& fan_out : in.spec.fan_outs) described.insert(fan_out.from);
    const auto add = [&](std::string_view source) {
        if (described.insert(source).second)
            in.builder.fan_out(source, fan_out_options_of(fan_out_spec{}, in.spec.defaults));
    };
    add(weft::start);
    for (const node_spec& node : in.spec.nodes) add(node.name);
}

}  // namespace

fan_out_options fan_out_options_of(const fan_out_spec& fan_out, spec_defaults defaults)
{
    fan_out_options options{policy_of(fan_out), fan_out.concurrency_max, {}, fan_out.conflict};
    if (fan_out.branch_timeout) options.branch_timeout = fan_out.branch_timeout->span();
    else if (defaults == spec_defaults::hive) options.branch_timeout = hive_branch_timeout;
    return options;
}

void add_edges(compilation& in)
{
    const json_path edges{in.at, "edges"};
    for (std::size_t i = 0; i < in.spec.edges.size(); ++i) {
        // The builder numbers edges as they come. One that is left out after a mistake still has its number here.
        const std::size_t before = in.edge_origins.size();
        add_edge(in, in.spec.edges[i], json_path{edges, i});
        const bool is_decision = in.spec.edges[i].effective_kind() == spec_edge_kind::llm;
        if (is_decision) in.decisions.emplace(in.spec.edges[i].from, i);
        in.edge_origins.resize(before + (is_decision ? in.spec.edges[i].targets.size() : 1), {false, i, 0});
    }
}

void add_fan_outs(compilation& in)
{
    const json_path fan_outs{in.at, "fan_outs"};
    std::unordered_map<std::string_view, int> seen;
    for (std::size_t i = 0; i < in.spec.fan_outs.size(); ++i) in.fan_outs.emplace(in.spec.fan_outs[i].from, i);
    for (std::size_t i = 0; i < in.spec.fan_outs.size(); ++i) {
        add_fan_out(in, in.spec.fan_outs[i], json_path{fan_outs, i});
        if (++seen[in.spec.fan_outs[i].from] == 2 && !in.spec.fan_outs[i].from.empty())
            in.mistake(json_path{fan_outs, i}, "the fan-out of '" + in.spec.fan_outs[i].from +
                "' is described twice: keep one");
    }
    if (in.spec.defaults == spec_defaults::hive) add_default_fan_outs(in);
}

}  // namespace weft::spec_detail
