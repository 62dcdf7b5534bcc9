#include "node_compiler.hpp"

#include "kind_compiler.hpp"
#include "spec_condition.hpp"

#include <weft/base/json/json_text.hpp>
#include <weft/graph/graph_spec_writer.hpp>

#include <unordered_set>
#include <utility>

namespace weft::spec_detail {

namespace {

/** The names of all error codes, which follow each other from 1. */
std::vector<std::string_view> error_names()
{
    std::vector<std::string_view> names;
    for (int code = 1; errc_named(name_of(static_cast<errc>(code))); ++code)
        names.push_back(name_of(static_cast<errc>(code)));
    return names;
}

// As Hive does it: 1 s, 2 s, 4 s, without bound and without jitter.
retry_policy hive_retry()
{
    return {.attempts_max = 3,
            .initial = std::chrono::seconds{1},
            .factor = 2,
            .delay_max = std::chrono::nanoseconds::max(),
            .jitter = jitter::none};
}

std::optional<node_cache_policy> cache_of(compilation& in, const node_spec& node, const json_path& at)
{
    if (!node.cache) return std::nullopt;
    const json_path cache{at, "cache"};
    const json_path keys{cache, "keys"};
    if (node.cache->keys == std::vector<std::string>{std::string{unnamed_function}})
        in.mistake(keys, "is a function of a C++ program, which a file cannot hold: name the keys that count instead");
    else if (node.cache->keys) in.check_keys(*node.cache->keys, keys);
    node_cache_policy policy;
    if (node.cache->keep_for)
        policy.keep_for = std::chrono::duration_cast<std::chrono::milliseconds>(node.cache->keep_for->span());
    if (node.cache->keep_for && policy.keep_for.count() <= 0)
        in.mistake(json_path{cache, "keep_for"}, "is less than a millisecond: leave it out to keep results while "
                                                 "there is room");
    // A store outlives the file as it is: what the file says of the work is a part of the version.
    policy.version = node.cache->version + "\n" + node.kind + "\n" + to_json_text(node.settings);
    policy.keys = node.cache->keys;
    policy.where = in.around.registry.node_cache();
    return policy;
}

retry_policy retry_of(compilation& in, const node_spec& node, const json_path& at)
{
    const node_kind* const kind = in.around.registry.kind(node.kind);
    const bool retries_itself = kind && kind->retries_itself;
    if (retries_itself && node.retry && node.retry->attempts_max > 1)
        in.around.warnings.push_back("node '" + node.name +
                                     "': retry.attempts_max is taken as 1, for nodes of the kind '" + node.kind +
                                     "' try again by themselves: leave it out");
    if (!node.retry && !retries_itself)
        return in.spec.defaults == spec_defaults::hive ? hive_retry() : node_options{}.retry;
    if (!node.retry) return {.attempts_max = 1};
    const retry_spec& from = *node.retry;
    const json_path retry{at, "retry"};
    if (from.attempts_max < 0) in.mistake(json_path{retry, "attempts_max"}, "is negative: 0 or 1 means no retry");
    if (!(from.factor >= 1 && from.factor <= 1e6))
        in.mistake(json_path{retry, "factor"}, "is a number from 1 to 1000000");
    retry_policy result{from.attempts_max, from.initial.span(), from.factor, from.delay_max.span(), from.jitter, {}};
    const json_path retry_on{retry, "retry_on"};
    for (std::size_t i = 0; i < from.retry_on.size(); ++i) {
        const std::string& name = from.retry_on[i];
        if (const std::optional<errc> code = errc_named(name)) result.retry_on.push_back(*code);
        else
            in.mistake(json_path{retry_on, i},
                       "there is no error '" + name + "'" + known_names(in.around.mistakes, name, error_names()));
    }
    // The rest of the policy is checked nevertheless: it may say `retry_on`.
    if (retries_itself) return {.attempts_max = 1};
    return result;
}

void add_schemas(compilation& in, output_check& to, const node_spec& node, const json_path& at)
{
    // A set: a file may give a node thousands of keys and a schema for each.
    std::unordered_set<std::string_view> writes;
    if (node.writes && !node.outputs.schemas.empty()) writes.insert(node.writes->begin(), node.writes->end());
    for (const auto& [key, document] : node.outputs.schemas) {
        const json_path path{at, key};
        in.check_key(key, path);
        if (node.writes && !writes.contains(key))
            in.mistake(path, "the node does not write '" + key + "': add the key to writes, or leave its schema out");
        const auto report = [&in](const json_path& where, std::string text) {
            in.mistake(where, "in the JSON Schema: " + std::move(text));
        };
        if (std::optional<json_schema> schema = json_schema::read(document, path, report))
            to.schemas.emplace(key, *std::move(schema));
    }
}

output_check outputs_of(compilation& in, const node_spec& node, const json_path& at)
{
    const json_path outputs{at, "outputs"};
    in.check_keys(node.outputs.nullable, json_path{outputs, "nullable"});
    if (node.outputs.required && !node.writes)
        in.mistake(json_path{outputs, "required"},
            "requires what the node writes, which is not said: give the node writes");
    output_check check{.required = node.outputs.required,
                       .nullable = node.outputs.nullable,
                       .text_max = node.outputs.text_max};
    add_schemas(in, check, node, json_path{outputs, "schemas"});
    if (node.outputs.check.empty()) return check;
    if (std::optional<bound_expression> bound = in.bind(node.outputs.check, json_path{outputs, "check"}))
        check.passes = to_check(std::move(*bound));
    return check;
}

node_options node_options_of(compilation& in, const node_spec& node, const json_path& at)
{
    node_options options;
    if (node.reads) in.check_keys(*node.reads, json_path{at, "reads"});
    if (node.writes) in.check_keys(*node.writes, json_path{at, "writes"});
    in.check_keys(node.clears, json_path{at, "clears"});
    const json_path goes_to{at, "goes_to"};
    for (std::size_t i = 0; i < node.goes_to.size(); ++i) in.check_node(node.goes_to[i], json_path{goes_to, i});
    options.retry = retry_of(in, node, at);
    if (node.timeout) options.timeout = node.timeout->span();
    if (node.idle_max) options.idle_max = node.idle_max->span();
    options.visits_max = node.visits_max;
    options.goes_to = node.goes_to;
    options.reads = node.reads;
    options.writes = node.writes;
    options.outputs = outputs_of(in, node, at);
    options.clears = node.clears;
    options.routing = node.routing;
    options.pauses = node.pauses;
    options.is_deferred = node.deferred;
    options.gives_feedback = node.feedback;
    options.faces_client = node.client_facing;
    options.is_isolated = node.isolated;
    options.cache = cache_of(in, node, at);
    options.description = node.description;
    return options;
}

void add_node(compilation& in, const node_spec& node, const json_path& at, std::size_t index)
{
    node_options options = node_options_of(in, node, at);
    node_request request{node, at, options,
                         {in.around.registry, in.layout, in.around.mistakes, in.around.warnings, in.spec.state,
                          in.has_all_names, in.spec.nodes, in.has_conversation}};
    std::shared_ptr<const node_body> body = make_body(in, request, index);
    if (body) in.builder.node(node.name, std::move(body), std::move(options));
}

}  // namespace

void collect_nodes(compilation& in)
{
    in.node_names = {weft::start, weft::end};
    const json_path nodes{in.at, "nodes"};
    if (in.spec.nodes.empty() && in.has_all_names) in.mistake(nodes, "the graph has no nodes: give it one");
    // A name that could not be read leaves no mistake here: its shape is reported already.
    for (std::size_t i = 0; i < in.spec.nodes.size(); ++i) {
        const std::string& name = in.spec.nodes[i].name;
        const json_path node{nodes, i};
        if (name.empty() && !in.has_all_names) continue;
        if (name.empty()) in.mistake(node, "the node has no name: give it one");
        else if (name == weft::start || name == weft::end)
            in.mistake(json_path{node, "name"}, "'" + name + "' is reserved: choose another name");
        else if (!in.nodes.emplace(name, i).second)
            in.mistake(json_path{node, "name"}, "there is a node '" + name + "' already: names are unique");
        else in.node_names.emplace_back(name);
    }
}

void add_nodes(compilation& in)
{
    const json_path nodes{in.at, "nodes"};
    for (std::size_t i = 0; i < in.spec.nodes.size(); ++i) add_node(in, in.spec.nodes[i], json_path{nodes, i}, i);
}

}  // namespace weft::spec_detail
