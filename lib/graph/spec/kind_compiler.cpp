#include "kind_compiler.hpp"

#include "spec_compiler.hpp"
#include "spec_send_node.hpp"
#include "spec_set_node.hpp"

#include <weft/graph/build/agent_kind_names.hpp>
#include <weft/graph/graph_spec_writer.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <algorithm>
#include <utility>

namespace weft::spec_detail {

namespace {

constexpr std::size_t depth_max = 16;  // of graphs inside one another

std::vector<key_mapping> mappings_of(const std::map<std::string, std::string>& from)
{
    std::vector<key_mapping> result;
    for (const auto& [target, source] : from) result.push_back({target, source});
    return result;
}

/** Reports names that are no keys of an inner graph, and pairs whose values differ in type. */
void check_inner(const std::map<std::string, std::string>& map, const state_layout& to, const state_layout& from,
                 std::string_view member, const std::string& inner, node_request& request)
{
    const json_path at{request.settings_at(), member};
    const bool is_input = member == "inputs";
    const auto say = [&](const std::string& target, const std::string& key, const state_layout& of, bool is_inner) {
        if (of.find(key) != state_layout::none) return true;
        const std::vector<std::string_view> known = of.names();
        request.mistakes().add(json_path{at, target}, (is_inner ? "the graph '" + inner + "' has" : "there is") +
                                                          std::string{" no key '"} + key + "'" +
                                                          known_names(request.mistakes(), key, known));
        return false;
    };
    for (const auto& [target, source] : map) {
        if (target == unnamed_function) {
            request.mistakes().add(json_path{at, target}, "is a function of a C++ program, which a file cannot hold: "
                                                          "name the keys that move instead");
            continue;
        }
        const bool has_target = say(target, target, to, is_input);
        const bool has_source = say(target, source, from, !is_input);
        if (has_target && has_source && to[to.find(target)].type->value != from[from.find(source)].type->value)
            request.mistakes().add(json_path{at, target},
                                   "'" + target + "' and '" + source + "' have values of different types");
    }
}

/** The settings as far as they can be read: one mistake of shape does not hide those in the other members. */
template <class Settings>
Settings readable_settings(node_request& request)
{
    Settings settings;
    read_structure(settings, request.spec().settings, request.settings_at(), request.mistakes());
    return settings;
}

/** What a node computes sees no more keys than the node may. */
void require_in_scope(compilation& in, const node_request& request, const bound_expression& used, const json_path& at)
{
    for (const expression_name& name : used.source().names())
        if (!request.may_read(name.text))
            in.mistake(at, "the node's reads do not name '" + name.text + "': add it there");
}

std::shared_ptr<const node_body> make_function(compilation& in, node_request& request)
{
    const std::optional<function_settings> settings = request.settings<function_settings>();
    if (!settings) return nullptr;
    const std::string& name = settings->function.empty() ? request.spec().name : settings->function;
    if (name == unnamed_function) {
        request.mistake("function", "is a function of a C++ program that has no name: register it by "
                                    "one (`add_function` of the registry of nodes) and write that");
        return nullptr;
    }
    auto body = in.around.registry.function(name);
    if (!body)
        request.mistake(settings->function.empty() ? "" : "function",
                        "there is no function '" + name + "'" +
                            known_names(in.around.mistakes, name, in.around.registry.function_names()));
    return body;
}

std::shared_ptr<const node_body> make_set(compilation& in, node_request& request)
{
    const std::size_t before = in.around.mistakes.count();
    const auto settings = readable_settings<set_settings>(request);
    std::vector<set_node::constant> constants;
    const json_path values{request.settings_at(), "values"};
    const auto check_written = [&](const std::string& key, const json_path& at) {
        if (in.layout.find(key) == state_layout::none) return in.check_key(key, at);
        if (!request.may_write(key)) in.mistake(at, "the node's writes do not name '" + key + "': add it there");
    };
    for (const auto& [name, json] : settings.values) {
        const std::string key{name};
        const json_path at{values, key};
        check_written(key, at);
        const std::uint32_t slot = in.layout.find(key);
        if (slot == state_layout::none) continue;
        try {
            constants.push_back({slot, in.layout[slot].type->update->from_json(json)});
        } catch (const error& e) {
            in.mistake(at, "does not fit the key: " + e.detail());
        }
    }
    std::vector<set_node::computed> computed;
    const json_path expressions{request.settings_at(), "expressions"};
    for (const auto& [key, text] : settings.expressions) {
        const json_path at{expressions, key};
        check_written(key, at);
        std::optional<bound_expression> bound = in.bind(text, at);
        if (bound) require_in_scope(in, request, *bound, at);
        if (bound && in.layout.find(key) != state_layout::none)
            computed.push_back({in.layout.find(key), std::move(*bound)});
    }
    if (in.around.mistakes.count() != before) return nullptr;
    return std::make_shared<const set_node>(std::move(constants), std::move(computed));
}

std::shared_ptr<const node_body> make_router(compilation& in, node_request& request, std::size_t index)
{
    const auto settings = readable_settings<router_settings>(request);
    const std::string& from = request.spec().name;
    const json_path routes{request.settings_at(), "routes"};
    const bool has_routes = request.spec().settings.contains("routes");  // otherwise that is reported already
    if (settings.routes.empty() && has_routes && !in.around.mistakes.has_any_in(routes))
        in.mistake(routes, "the router has no routes: give it one");
    for (std::size_t i = 0; i < settings.routes.size(); ++i) {
        const route_spec& route = settings.routes[i];
        const json_path at{routes, i};
        const json_path when{at, "when"};
        const bool is_whole = !in.around.mistakes.has_any_in(at);
        if (is_whole || !route.to.empty()) in.check_node(route.to, json_path{at, "to"});
        if (is_whole && route.when.empty()) in.mistake(when, "is empty: write an expression, or use otherwise");
        in.add_condition(from, route.to, route.when, when, {.label = route.label});
        // One origin for each edge of the builder, in its order, so that its mistakes find their route.
        in.edge_origins.push_back({true, index, i});
    }
    if (!settings.otherwise.empty()) {
        in.check_node(settings.otherwise, json_path{request.settings_at(), "otherwise"});
        in.builder.edge(from, settings.otherwise);
        in.edge_origins.push_back({true, index, settings.routes.size()});
    }
    return in.around.registry.nothing();
}

std::shared_ptr<const node_body> make_send(compilation& in, node_request& request)
{
    std::optional<send_settings> settings = request.settings<send_settings>();
    if (!settings) return nullptr;
    const std::size_t before = in.around.mistakes.count();
    const json_path items{request.settings_at(), "items"};
    in.check_node(settings->to, json_path{request.settings_at(), "to"}, false);
    if (settings->items.empty()) in.mistake(items, "is empty: write an expression that gives a list");
    std::optional<bound_expression> bound = in.bind(settings->items, items);
    if (bound) require_in_scope(in, request, *bound, items);
    const std::uint32_t slot = in.layout.find(settings->as);
    const json_path as{request.settings_at(), "as"};
    if (slot == state_layout::none) in.check_key(settings->as, as);
    else if (!in.layout[slot].type->value->from_json)
        in.mistake(as, "a transient key takes no items: name another one");
    if (in.around.mistakes.count() != before) return nullptr;
    std::vector<std::string>& goes_to = request.options().goes_to;
    // The graph is checked as if the file had named the target, which is where the items go.
    if (std::find(goes_to.begin(), goes_to.end(), settings->to) == goes_to.end()) goes_to.push_back(settings->to);
    return std::make_shared<const send_node>(std::move(*settings), std::move(*bound), slot);
}

std::optional<graph_source::inner_graph> inner_of(compilation& in, const boost::json::value& from, const json_path& at)
{
    if (in.around.depth == depth_max) {
        in.mistake(at, "more than " + std::to_string(depth_max) + " graphs are inside one another");
        return std::nullopt;
    }
    if (from.is_string()) return in.around.files.load(std::string_view{from.get_string()}, at, in.around.depth + 1);
    const std::size_t before = in.around.mistakes.count();
    graph_spec inner;
    if (from.is_object()) read_into(inner, from, at, in.around.mistakes);
    else in.mistake(at, "expected a graph or the name of its file");
    if (in.around.mistakes.count() != before) return std::nullopt;
    compiler_surroundings inside = in.around;
    ++inside.depth;
    std::optional<graph> what = compile_spec(inner, at, inside);
    if (!what) return std::nullopt;
    return graph_source::inner_graph{std::move(*what), effective_steps_max(inner), inner.limits.at_limit};
}

std::shared_ptr<const node_body> make_subgraph(compilation& in, node_request& request)
{
    const std::optional<subgraph_settings> settings = request.settings<subgraph_settings>();
    if (!settings) return nullptr;
    const json_path at{request.settings_at(), "graph"};
    std::optional<graph_source::inner_graph> inner = inner_of(in, settings->graph, at);
    if (!inner) return nullptr;
    const std::string name{inner->what.name()};
    const state_layout& keys = *inner->what.layout();
    if (settings->inputs) check_inner(*settings->inputs, keys, in.layout, "inputs", name, request);
    if (settings->outputs) check_inner(*settings->outputs, in.layout, keys, "outputs", name, request);
    subgraph result{std::move(inner->what)};
    result.shares_keys = !settings->inputs && !settings->outputs;
    if (settings->inputs) result.inputs = mappings_of(*settings->inputs);
    if (settings->outputs) result.outputs = mappings_of(*settings->outputs);
    if (inner->steps_max) result.steps_max = *inner->steps_max;
    if (inner->at_limit) result.at_limit = static_cast<step_limit_action>(*inner->at_limit);
    return make_node_body(std::move(result));
}

std::shared_ptr<const node_body> make_other(compilation& in, node_request& request)
{
    const std::string& kind = request.spec().kind;
    if (const node_kind* const known = in.around.registry.kind(kind)) {
        const std::size_t before = in.around.mistakes.count();
        std::shared_ptr<const node_body> body = known->make(request);
        if (!body && in.around.mistakes.count() == before)
            in.mistake(request.at(), "the kind '" + kind + "' made nothing of it, and did not say why");
        return body;
    }
    const json_path at{request.at(), "kind"};
    const bool is_of_agents =
        std::find(agent_kind_names.begin(), agent_kind_names.end(), kind) != agent_kind_names.end();
    if (is_of_agents)
        in.mistake(at, "the kind '" + kind + "' is not there: this program does not register it (add_agent_kinds "
                                                  "does)" +
                           known_names(in.around.mistakes, {}, in.around.registry.kind_names()));
    else
        in.mistake(at, "there is no kind '" + kind + "'" +
                           known_names(in.around.mistakes, kind, in.around.registry.kind_names()));
    return nullptr;
}

}  // namespace

std::shared_ptr<const node_body> make_body(compilation& in, node_request& request, std::size_t index)
{
    const std::string& kind = request.spec().kind;
    if (kind == "function") return make_function(in, request);
    if (kind == "set") return make_set(in, request);
    if (kind == "router") return make_router(in, request, index);
    if (kind == "send") return make_send(in, request);
    if (kind == "subgraph") return make_subgraph(in, request);
    if (kind == "join") return request.settings<join_settings>() ? in.around.registry.nothing() : nullptr;
    return make_other(in, request);
}

}  // namespace weft::spec_detail
