#include "spec_compiler.hpp"

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

retry_policy hive_retry()
{
    return {.attempts_max = 3,
            .initial = std::chrono::seconds{1},
            .factor = 2,
            .delay_max = std::chrono::nanoseconds::max(),
            .jitter = jitter::none};
}

}  // namespace

void spec_compiler::collect_nodes()
{
    node_names_ = {weft::start, weft::end};
    const json_path nodes{at_, "nodes"};
    if (spec_.nodes.empty() && how_.has_all_names) mistake(nodes, "the graph has no nodes: give it one");
    for (std::size_t i = 0; i < spec_.nodes.size(); ++i) {
        const std::string& name = spec_.nodes[i].name;
        const json_path node{nodes, i};
        if (name.empty() && !how_.has_all_names) continue;
        if (name.empty()) mistake(node, "the node has no name: give it one");
        else if (name == weft::start || name == weft::end)
            mistake(json_path{node, "name"}, "'" + name + "' is reserved: choose another name");
        else if (!nodes_.emplace(name, i).second)
            mistake(json_path{node, "name"}, "there is a node '" + name + "' already: names are unique");
        else node_names_.emplace_back(name);
    }
}

void spec_compiler::add_nodes()
{
    const json_path nodes{at_, "nodes"};
    for (std::size_t i = 0; i < spec_.nodes.size(); ++i) add_node(spec_.nodes[i], json_path{nodes, i}, i);
}

void spec_compiler::add_node(const node_spec& node, const json_path& at, std::size_t index)
{
    node_options options = node_options_of(node, at);
    node_request request{node, at, options,
                         {around_.registry, layout_, around_.mistakes, around_.warnings, spec_.state,
                          how_.has_all_names, spec_.nodes, has_conversation_}};
    std::shared_ptr<const node_body> body = make_body(request, index);
    if (body) builder_.node(node.name, std::move(body), std::move(options));
}

node_options spec_compiler::node_options_of(const node_spec& node, const json_path& at)
{
    node_options options;
    if (node.reads) check_keys(*node.reads, json_path{at, "reads"});
    if (node.writes) check_keys(*node.writes, json_path{at, "writes"});
    check_keys(node.clears, json_path{at, "clears"});
    const json_path goes_to{at, "goes_to"};
    for (std::size_t i = 0; i < node.goes_to.size(); ++i) check_node(node.goes_to[i], json_path{goes_to, i});
    options.retry = retry_of(node, at);
    if (node.timeout) options.timeout = node.timeout->span();
    if (node.idle_max) options.idle_max = node.idle_max->span();
    options.visits_max = node.visits_max;
    options.goes_to = node.goes_to;
    options.reads = node.reads;
    options.writes = node.writes;
    options.outputs = outputs_of(node, at);
    options.clears = node.clears;
    options.routing = node.routing;
    options.pauses = node.pauses;
    options.is_deferred = node.deferred;
    options.gives_feedback = node.feedback;
    options.faces_client = node.client_facing;
    options.is_isolated = node.isolated;
    options.cache = cache_of(node, at);
    options.description = node.description;
    return options;
}

std::optional<node_cache_policy> spec_compiler::cache_of(const node_spec& node, const json_path& at)
{
    if (!node.cache) return std::nullopt;
    const json_path cache{at, "cache"};
    const json_path keys{cache, "keys"};
    if (node.cache->keys == std::vector<std::string>{std::string{unnamed_function}})
        mistake(keys, "is a function of a C++ program, which a file cannot hold: name the keys that count instead");
    else if (node.cache->keys) check_keys(*node.cache->keys, keys);
    node_cache_policy policy;
    if (node.cache->keep_for)
        policy.keep_for = std::chrono::duration_cast<std::chrono::milliseconds>(node.cache->keep_for->span());
    if (node.cache->keep_for && policy.keep_for.count() <= 0)
        mistake(json_path{cache, "keep_for"}, "is less than a millisecond: leave it out to keep results while there is "
                                              "room");
    // A store outlives the file as it is: what the file says of the work is a part of the version.
    policy.version = node.cache->version + "\n" + node.kind + "\n" + to_json_text(node.settings);
    policy.keys = node.cache->keys;
    policy.where = around_.registry.node_cache();
    return policy;
}

retry_policy spec_compiler::retry_of(const node_spec& node, const json_path& at)
{
    const node_kind* const kind = around_.registry.kind(node.kind);
    const bool retries_itself = kind && kind->retries_itself;
    if (retries_itself && node.retry && node.retry->attempts_max > 1)
        around_.warnings.push_back("node '" + node.name +
            "': retry.attempts_max is taken as 1, for nodes of the kind '" +
                                   node.kind + "' try again by themselves: leave it out");
    if (!node.retry && !retries_itself)
        return spec_.defaults == spec_defaults::hive ? hive_retry() : node_options{}.retry;
    if (!node.retry) return {.attempts_max = 1};
    const retry_spec& from = *node.retry;
    const json_path retry{at, "retry"};
    if (from.attempts_max < 0) mistake(json_path{retry, "attempts_max"}, "is negative: 0 or 1 means no retry");
    if (!(from.factor >= 1 && from.factor <= 1e6)) mistake(json_path{retry, "factor"}, "is a number from 1 to 1000000");
    retry_policy result{from.attempts_max, from.initial.span(), from.factor, from.delay_max.span(), from.jitter, {}};
    const json_path retry_on{retry, "retry_on"};
    for (std::size_t i = 0; i < from.retry_on.size(); ++i) {
        const std::string& name = from.retry_on[i];
        if (const std::optional<errc> code = errc_named(name)) result.retry_on.push_back(*code);
        else
            mistake(json_path{retry_on, i},
                    "there is no error '" + name + "'" + known_names(around_.mistakes, name, error_names()));
    }
    if (retries_itself) return {.attempts_max = 1};
    return result;
}

output_check spec_compiler::outputs_of(const node_spec& node, const json_path& at)
{
    const json_path outputs{at, "outputs"};
    check_keys(node.outputs.nullable, json_path{outputs, "nullable"});
    if (node.outputs.required && !node.writes)
        mistake(json_path{outputs, "required"},
            "requires what the node writes, which is not said: give the node writes");
    output_check check{.required = node.outputs.required,
                       .nullable = node.outputs.nullable,
                       .text_max = node.outputs.text_max};
    add_schemas(check, node, json_path{outputs, "schemas"});
    if (node.outputs.check.empty()) return check;
    if (std::optional<bound_expression> bound = bind(node.outputs.check, json_path{outputs, "check"}))
        check.passes = to_check(std::move(*bound));
    return check;
}

void spec_compiler::add_schemas(output_check& to, const node_spec& node, const json_path& at)
{
    std::unordered_set<std::string_view> writes;
    if (node.writes && !node.outputs.schemas.empty()) writes.insert(node.writes->begin(), node.writes->end());
    for (const auto& [key, document] : node.outputs.schemas) {
        const json_path path{at, key};
        check_key(key, path);
        if (node.writes && !writes.contains(key))
            mistake(path, "the node does not write '" + key + "': add the key to writes, or leave its schema out");
        const auto tell = [this](const json_path& where, std::string text) {
            mistake(where, "in the JSON Schema: " + std::move(text));
        };
        if (std::optional<json_schema> schema = json_schema::read(document, path, tell))
            to.schemas.emplace(key, *std::move(schema));
    }
}

void spec_compiler::check_node(const std::string& name, const json_path& at, bool may_be_end)
{
    if (nodes_.contains(name) || (may_be_end && name == weft::end)) return;
    if (name == weft::start) return mistake(at, "nothing leads to the start: name a node");
    if (name == weft::end) return mistake(at, "nothing goes on at the end: name a node");
    if (how_.has_all_names)
        mistake(at, "there is no node '" + name + "'" + known_names(around_.mistakes, name, node_names_));
}

}  // namespace weft::spec_detail
