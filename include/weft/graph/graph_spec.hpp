#pragma once

#include <weft/graph/edge/edge.hpp>
#include <weft/graph/node/graph_memory.hpp>
#include <weft/graph/node/node_options.hpp>
#include <weft/graph/spec/mcp_spec.hpp>
#include <weft/graph/spec/spec_duration.hpp>
#include <weft/graph/state/fan_out.hpp>

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

BOOST_DESCRIBE_ENUM(conflict_strategy, last_wins, first_wins, error, branch_order)
BOOST_DESCRIBE_ENUM(routing, every_match, first_match)
BOOST_DESCRIBE_ENUM(edge_after, success, failure, any)
BOOST_DESCRIBE_ENUM(jitter, none, full)
BOOST_DESCRIBE_ENUM(pause_point, never, before, after, both)

// A graph as a file: plain values, as docs/graph.schema.json describes them. A member that a file leaves out has the
// default that stands here; one that has its default is not written. `required_members` names those that a file must
// give.

/** How updates join the value of a key; see `reducer.hpp`. */
enum class spec_reducer : std::uint8_t { replace, append, add, merge, min, max };
BOOST_DESCRIBE_ENUM(spec_reducer, replace, append, add, merge, min, max)

/** A key of the state. */
struct key_spec {
    static constexpr std::array<std::string_view, 1> required_members{"name"};
    std::string name = {};
    std::string type = "any";  ///< One of string, integer, number, boolean, list, object, any, or of the registry's.
    spec_reducer reducer = spec_reducer::replace;
    std::optional<boost::json::value> initial = {};   ///< What it has when a run begins.
    std::optional<conflict_strategy> conflict = {};   ///< Instead of the fan-out's and the graph's.
    std::string description = {};
    bool operator==(const key_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(key_spec, (), (name, type, reducer, initial, conflict, description))

/** `retry_policy`, with the same defaults. */
struct retry_spec {
    std::int32_t attempts_max = retry_policy{}.attempts_max;
    spec_duration initial = retry_policy{}.initial;
    double factor = retry_policy{}.factor;
    spec_duration delay_max = retry_policy{}.delay_max;
    enum jitter jitter = retry_policy{}.jitter;
    std::vector<std::string> retry_on = {};  ///< Names of `errc`; empty: all but `cancelled`.
    bool operator==(const retry_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(retry_spec, (), (attempts_max, initial, factor, delay_max, jitter, retry_on))

/** `output_check`, with an expression instead of a function, and schemas as they are written. */
struct outputs_spec {
    bool required = false;
    std::vector<std::string> nullable = {};
    std::uint64_t text_max = output_check{}.text_max;
    std::string check = {};  ///< Holds after the node, or the node has failed.
    std::map<std::string, boost::json::value> schemas = {};  ///< By key: a JSON Schema of its value after the node.
    bool operator==(const outputs_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(outputs_spec, (), (required, nullable, text_max, check, schemas))

/** `node_cache_policy`: the result of the node is kept by what it reads. */
struct cache_spec {
    std::optional<spec_duration> keep_for = {};           ///< Time to live; not given: as long as there is room.
    std::string version = {};                             ///< Change it when the work of a function changes.
    std::optional<std::vector<std::string>> keys = {};    ///< What counts instead of what the node may read and write.
    bool operator==(const cache_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(cache_spec, (), (keep_for, version, keys))

/** A node. What its kind needs to know stands in `settings`; see `node_registry`. */
struct node_spec {
    static constexpr std::array<std::string_view, 1> required_members{"name"};
    std::string name = {};
    std::string kind = "function";
    boost::json::object settings = {};
    std::optional<std::vector<std::string>> reads = {};
    std::optional<std::vector<std::string>> writes = {};
    outputs_spec outputs = {};
    std::optional<retry_spec> retry = {};        ///< Not given: as `graph_spec::defaults` says.
    std::optional<spec_duration> timeout = {};   ///< For one attempt; not given: the run's.
    std::optional<spec_duration> idle_max = {};  ///< For one attempt without progress; see `node_options::idle_max`.
    std::uint32_t visits_max = 0;
    std::vector<std::string> clears = {};
    std::vector<std::string> goes_to = {};
    std::optional<weft::routing> routing = {};
    pause_point pauses = pause_point::never;     ///< Where a run pauses by itself, once for each visit.
    bool deferred = false;
    bool feedback = false;
    bool client_facing = false;
    bool isolated = false;                       ///< Has no part in the conversation of the graph.
    std::optional<cache_spec> cache = {};
    std::string description = {};
    bool operator==(const node_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(node_spec, (),
                      (name, kind, settings, reads, writes, outputs, retry, timeout, idle_max, visits_max, clears,
                       goes_to, routing, pauses, deferred, feedback, client_facing, isolated, cache, description))

/** `edge_kind`, and `llm` for a decision by a model. */
enum class spec_edge_kind : std::uint8_t { plain, on_success, on_failure, on_budget, always, when, labelled, llm };
BOOST_DESCRIBE_ENUM(spec_edge_kind, plain, on_success, on_failure, on_budget, always, when, labelled, llm)

/** An edge. `when` makes it conditional; `targets` of a decision by a model stand instead of `to`. */
struct edge_spec {
    static constexpr std::array<std::string_view, 1> required_members{"from"};
    std::string from = {};
    std::string to = {};
    std::optional<spec_edge_kind> kind = {};  ///< Not given: `when` if there is an expression, else `plain`.
    std::string when = {};                    ///< An expression.
    edge_after after = edge_after::success;   ///< Of conditional edges: after which end of the node they are asked.
    std::string label = {};                   ///< Of a labelled edge the answer that leads there; of others for people.
    std::int32_t priority = 0;
    std::map<std::string, std::string> map = {};  ///< Keys that get a value along the edge, each from another key.
    bool streams = false;                         ///< `to` reads what `from` still writes.
    std::vector<std::string> targets = {};        ///< The rest is of `llm` edges only.
    std::string fallback = {};
    std::string instructions = {};
    std::string model = {};                       ///< Which model chooses; empty: the program's.
    std::optional<spec_duration> timeout = {};
    bool operator==(const edge_spec&) const = default;

    [[nodiscard]] spec_edge_kind effective_kind() const noexcept
    {
        return kind.value_or(when.empty() ? spec_edge_kind::plain : spec_edge_kind::when);
    }
};
BOOST_DESCRIBE_STRUCT(edge_spec, (),
                      (from, to, kind, when, after, label, priority, map, streams, targets, fallback, instructions,
                       model, timeout))

/** `branch_policy` by name. */
enum class spec_policy : std::uint8_t { fail_all, continue_others, wait_all, first_success, quorum };
BOOST_DESCRIBE_ENUM(spec_policy, fail_all, continue_others, wait_all, first_success, quorum)

/** How the fan-out of a node behaves, and where its branches meet. */
struct fan_out_spec {
    static constexpr std::array<std::string_view, 1> required_members{"from"};
    std::string from = {};
    std::string join = {};                     ///< Not given: the node where all branches meet.
    spec_policy policy = spec_policy::fail_all;
    std::uint32_t quorum = 0;             ///< With the policy `quorum`, how many successes are enough.
    std::uint32_t concurrency_max = 0;
    std::optional<spec_duration> branch_timeout = {};
    std::optional<conflict_strategy> conflict = {};
    std::string until = {};               ///< An expression over what is joined so far; then the others are stopped.
    bool operator==(const fan_out_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(fan_out_spec, (),
                      (from, join, policy, quorum, concurrency_max, branch_timeout, conflict, until))

/** One of the things that make a run a success, each with its share of the weight. */
struct criterion_spec {
    static constexpr std::array<std::string_view, 2> required_members{"id", "met_when"};
    std::string id = {};
    std::string description = {};
    double weight = 1;
    std::string met_when = {};  ///< An expression over the state at the end of a run.
    bool operator==(const criterion_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(criterion_spec, (), (id, description, weight, met_when))

/** Something that must hold whatever else is reached; one that is not `hard` only lowers the quality of a run. */
struct constraint_spec {
    static constexpr std::array<std::string_view, 2> required_members{"id", "kept_when"};
    std::string id = {};
    std::string description = {};
    bool hard = true;
    std::string kept_when = {};  ///< An expression over the state at the end of a run.
    bool operator==(const constraint_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(constraint_spec, (), (id, description, hard, kept_when))

/** What the runs of a graph are for, `weft::goal` with expressions: a run succeeds if the criteria that are met have
 *  `weight_needed` of all weight, and no hard constraint is broken. */
struct goal_spec {
    static constexpr std::array<std::string_view, 1> required_members{"name"};
    std::string name = {};
    std::string description = {};
    std::vector<criterion_spec> criteria = {};
    std::vector<constraint_spec> constraints = {};
    double weight_needed = 0.9;
    bool operator==(const goal_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(goal_spec, (), (name, description, criteria, constraints, weight_needed))

/** `step_limit_action`: what happens when the steps of a run are used up. */
enum class spec_limit_action : std::uint8_t { fail, raise, return_last, return_with_flag };
BOOST_DESCRIBE_ENUM(spec_limit_action, fail, raise, return_last, return_with_flag)

/** How much a run may spend; see `weft::budget`. */
struct budget_spec {
    std::optional<std::int64_t> tokens = {};
    std::optional<double> usd = {};
    std::optional<std::int64_t> model_calls = {};
    std::optional<std::int64_t> tool_calls = {};
    std::optional<std::int64_t> turns = {};
    bool operator==(const budget_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(budget_spec, (), (tokens, usd, model_calls, tool_calls, turns))

/** `run_reserve`, with the same defaults. */
struct reserve_spec {
    std::optional<std::uint32_t> steps = {};
    std::optional<spec_duration> elapsed = {};
    bool operator==(const reserve_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(reserve_spec, (), (steps, elapsed))

/** The limits of a run; `run_options_of` in `weft/engine/spec_options.hpp` applies them. Of a graph inside another one
 *  only `steps_max` and `at_limit` can be given. */
struct limits_spec {
    std::optional<std::uint32_t> steps_max = {};
    std::optional<std::uint32_t> in_a_row_max = {};
    std::optional<spec_limit_action> at_limit = {};
    std::optional<std::uint32_t> in_flight_max = {};
    std::optional<spec_duration> node_timeout = {};
    std::optional<spec_duration> elapsed_max = {};
    std::optional<budget_spec> budget = {};
    std::optional<reserve_spec> reserve = {};
    bool operator==(const limits_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(limits_spec, (),
                      (steps_max, in_a_row_max, at_limit, in_flight_max, node_timeout, elapsed_max, budget, reserve))

/** `graph_memory`, with the same defaults: which memory the nodes of the graph use. */
struct memory_spec {
    std::vector<std::string> scope = {};     ///< Names; `{key}` is the value of a key, `{__thread__}` the run's thread.
    std::uint64_t items_max = graph_memory{}.items_max;
    std::uint64_t value_bytes_max = graph_memory{}.value_bytes_max;
    std::optional<spec_duration> keep_for = {};
    bool operator==(const memory_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(memory_spec, (), (scope, items_max, value_bytes_max, keep_for))

/** When an entry point begins runs: `cron`, by the clocks of `time_zone`, or `every`. */
struct timer_spec {
    std::string cron = {};                      ///< As `cron_schedule` reads it.
    std::string time_zone = {};                 ///< A name such as `Europe/Berlin`; not given: UTC.
    std::optional<spec_duration> every = {};    ///< Whole seconds.
    bool operator==(const timer_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(timer_spec, (), (cron, time_zone, every))

/** The webhook of another system, which begins runs. It must be signed. */
struct webhook_spec {
    static constexpr std::array<std::string_view, 2> required_members{"path", "secret_env"};
    std::string path = {};        ///< On the server, such as `/hooks/orders`.
    std::string secret_env = {};  ///< The variable of the environment that has the secret.
    bool operator==(const webhook_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(webhook_spec, (), (path, secret_env))

/** A way into the graph from outside, where it is served: `served_entry` says what its members mean. */
struct entry_point_spec {
    static constexpr std::array<std::string_view, 1> required_members{"id"};
    std::string id = {};
    std::optional<timer_spec> timer = {};
    std::optional<webhook_spec> webhook = {};
    boost::json::object input = {};
    bool operator==(const entry_point_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(entry_point_spec, (), (id, timer, webhook, input))

/** Whose defaults hold for what a file leaves out. */
enum class spec_defaults : std::uint8_t {
    weft,  ///< One attempt, 1000 steps, no limit for a branch.
    hive,  ///< 3 attempts after 1 s, 2 s, …; 100 steps; 300 s for a branch.
};
BOOST_DESCRIBE_ENUM(spec_defaults, weft, hive)

/** What nodes know of what was said in nodes before them. */
enum class spec_conversation : std::uint8_t {
    continuous,  ///< One conversation threads through all nodes, under the key `conversation`.
    isolated,    ///< Each node talks for itself, but for those that name a key.
};
BOOST_DESCRIBE_ENUM(spec_conversation, continuous, isolated)

/** A whole graph. */
struct graph_spec {
    static constexpr std::array<std::string_view, 2> required_members{"name", "nodes"};
    std::string name = {};
    std::string description = {};
    spec_defaults defaults = spec_defaults::weft;
    std::vector<key_spec> state = {};
    std::vector<node_spec> nodes = {};
    std::vector<edge_spec> edges = {};
    std::vector<fan_out_spec> fan_outs = {};
    weft::routing routing = weft::routing::every_match;
    conflict_strategy conflict = conflict_strategy::last_wins;
    /** Not given: `isolated`, or with the defaults of Hive `continuous` where a node talks. */
    std::optional<spec_conversation> conversation = {};
    std::optional<goal_spec> goal = {};
    limits_spec limits = {};
    std::optional<memory_spec> memory = {};
    std::map<std::string, mcp_spec> mcp = {};  ///< Servers by name; only the outermost graph has any.
    std::vector<entry_point_spec> entry_points = {};  ///< Where it is served; only of the outermost graph.
    bool operator==(const graph_spec&) const = default;
};
BOOST_DESCRIBE_STRUCT(graph_spec, (),
                      (name, description, defaults, state, nodes, edges, fan_outs, routing, conflict, conversation,
                       goal, limits, memory, mcp, entry_points))

/** Node visits of a run as the file or its defaults say; nothing: as the program says. */
[[nodiscard]] inline std::optional<std::uint32_t> effective_steps_max(const graph_spec& spec) noexcept
{
    if (spec.limits.steps_max || spec.defaults == spec_defaults::weft) return spec.limits.steps_max;
    return 100;
}

// Settings of the kinds that are always there.

/** Kind `function`: a function of the registry; not given: the one that is called like the node. */
struct function_settings {
    std::string function = {};
};
BOOST_DESCRIBE_STRUCT(function_settings, (), (function))

/** Kind `set`: writes constants, and values of expressions over the state before the node. */
struct set_settings {
    boost::json::object values = {};
    std::map<std::string, std::string> expressions = {};
};
BOOST_DESCRIBE_STRUCT(set_settings, (), (values, expressions))

/** A way out of a router, taken if its expression holds and none before it did. */
struct route_spec {
    static constexpr std::array<std::string_view, 2> required_members{"when", "to"};
    std::string when = {};
    std::string to = {};
    std::string label = {};
};
BOOST_DESCRIBE_STRUCT(route_spec, (), (when, to, label))

/** Kind `router`: goes along the first route whose expression holds, or else to `otherwise`. */
struct router_settings {
    static constexpr std::array<std::string_view, 1> required_members{"routes"};
    std::vector<route_spec> routes = {};
    std::string otherwise = {};
};
BOOST_DESCRIBE_STRUCT(router_settings, (), (routes, otherwise))

/** Kind `send`: a branch for each item of a list, as many at once as the fan-out of the node allows. They meet like the
 *  branches of any fan-out. Each sees its own item only. */
struct send_settings {
    static constexpr std::array<std::string_view, 3> required_members{"items", "to", "as"};
    std::string items = {};                       ///< An expression that gives a list.
    std::string to = {};                          ///< The node that every branch begins with.
    std::string as = {};                          ///< The key that holds the item.
    std::optional<spec_duration> timeout = {};    ///< For each branch.
};
BOOST_DESCRIBE_STRUCT(send_settings, (), (items, to, as, timeout))

/** Kind `subgraph`: a graph, or the name of its file relative to the file that names it. With `inputs` or `outputs`
 *  only what they name moves; without, keys of the same name and type are shared. */
struct subgraph_settings {
    static constexpr std::array<std::string_view, 1> required_members{"graph"};
    boost::json::value graph = {};
    std::optional<std::map<std::string, std::string>> inputs = {};   ///< Inner keys from outer ones.
    std::optional<std::map<std::string, std::string>> outputs = {};  ///< Outer keys from inner ones.
};
BOOST_DESCRIBE_STRUCT(subgraph_settings, (), (graph, inputs, outputs))

/** Kind `join`: does nothing. */
struct join_settings {};
BOOST_DESCRIBE_STRUCT(join_settings, (), ())

}  // namespace weft
