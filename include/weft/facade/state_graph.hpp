#pragma once

#include <weft/base/error.hpp>
#include <weft/engine/run_event.hpp>
#include <weft/engine/run_options.hpp>
#include <weft/facade/state/state_command.hpp>
#include <weft/facade/state/state_threads.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/state/state.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

class id_generator;
class random_source;

/** An error in PyAgenity's words: `[GRAPH_002] …` before the detail. */
class state_graph_error : public error {
public:
    state_graph_error(std::string id, errc code, const std::string& detail)
        : error{code, {}, "[" + id + "] " + detail}, id_{std::move(id)}
    {
    }
    /** `GRAPH_002` no entry point, `GRAPH_003` orphaned nodes, `GRAPH_004` an edge or interrupt of an unknown node,
     *  `GRAPH_005` an unknown tool node, `GRAPH_006` one that is none, `GRAPH_000` another mistake, `NODE_001` a node
     *  failed, `RECURSION_000` the limit. */
    [[nodiscard]] const std::string& id() const noexcept { return id_; }

private:
    std::string id_;
};

/** Gives a label of the map, or without a map a node's name; nothing: the next decision, or else the static edge, is
 *  asked. */
using state_router = std::function<std::optional<std::string>(const state_view&)>;

/** What a node is beside its work. */
struct state_node_options {
    bool is_tool_node = false;
    std::string tool_node = {};  ///< The tool node that runs the tools this node asks for.
    node_options options = {};   ///< Timeout, retries; its routing and pauses are the graph's business.
};

/** Called when a node has failed for good; what it gives stands for the node's result. */
using state_recovery = std::function<std::optional<state_command>(const node_context&, const std::exception_ptr&)>;

/** How a graph is compiled. */
struct state_compile_options {
    std::shared_ptr<state_threads> threads = std::make_shared<state_threads>();  ///< Null: nothing is kept.
    std::vector<std::string> interrupt_before = {};
    std::vector<std::string> interrupt_after = {};
    state_recovery on_error = {};
    std::shared_ptr<id_generator> thread_ids = {};  ///< Names threads whose requests do not; null: random names.
};

/** What to run a compiled graph with.
 *
 *      weft::state_request request{{weft::message::user("Hello")}};
 *      request.thread("t-1").recursion_limit(10);
 */
class state_request {
public:
    /** A first run needs messages; the resume of an interrupted thread needs none. */
    explicit state_request(std::vector<message> messages = {}) : messages_{std::move(messages)} {}

    /** The conversation that is carried on; without a name the graph makes one, see `state_result::thread_id`. */
    state_request& thread(std::string id) { thread_ = std::move(id); return *this; }
    /** Values of other keys; they go through the keys' reducers. */
    state_request& input(state_update values) { values_ = std::move(values); return *this; }
    /** Node executions of this invocation, also where it resumes a thread; END after the last is success. */
    state_request& recursion_limit(std::uint32_t count) { limit_ = count; return *this; }
    /** Node executions of the thread's run, with all invocations that it was interrupted or stopped between; 0: no
     *  limit. */
    state_request& run_limit(std::uint32_t count) { run_limit_ = count; return *this; }
    /** Called with every event of the run, on its loop. */
    state_request& on_event(std::function<void(const run_event&)> watcher)
    {
        watcher_ = std::move(watcher);
        return *this;
    }
    /** Limits beside the recursion limit, and what else a run of the engine can be told. */
    state_request& options(run_options limits) { options_ = std::move(limits); return *this; }
    /** Cancels the run: its nodes are stopped, and `invoke` throws `errc::cancelled`. */
    state_request& stop(std::stop_token token) { stop_ = std::move(token); return *this; }

private:
    friend class state_run;
    friend class state_streaming;
    std::vector<message> messages_;
    std::string thread_;
    state_update values_;
    std::uint32_t limit_ = 25;
    std::uint32_t run_limit_ = 0;
    std::function<void(const run_event&)> watcher_;
    run_options options_;
    std::stop_token stop_;
};

/** What became of a run. @par Thread safety As a value. */
struct state_result {
    weft::state state;
    std::string thread_id;
    thread_status status = thread_status::completed;
    std::string interrupted_node;
    std::string interrupt_reason;
    std::vector<std::string> path;  ///< Nodes in the order in which they were started, since the thread's run began.

    [[nodiscard]] bool is_interrupted() const noexcept
    {
        return status == thread_status::interrupted_before || status == thread_status::interrupted_after;
    }
    [[nodiscard]] const list<message>& context() const { return state.get(context_key); }
};

/** What became of a wish to stop. */
struct stop_answer {
    bool ok = false;
    bool running = false;
    std::string reason;  ///< `no-checkpointer`, `no-state` or `not-running`; empty if it was running.
};

/** A graph that is checked and runs, any number of threads at once.
 *
 *  @par Thread safety   From any OS thread.
 */
class compiled_state_graph {
public:
    /** Runs a thread: from its start, or on from where it was interrupted or stopped. A thread that is completed, or
     *  whose last run failed, begins anew with the state it has.
     *
     *  @par Errors   `state_graph_error`:
     *    - `GRAPH_000`      the input has no messages; a label is not in its map; `invalid_configuration` if the thread
     *                       runs already.
     *    - `NODE_001`       a node failed; the thread keeps the state before it, and the status `error`.
     *    - `RECURSION_000`  the limit is used up.
     *  @par Cancellation    Stops the running nodes; then `errc::cancelled` is thrown. */
    [[nodiscard]] task<state_result> invoke(state_request request) const;

    /** Asks a thread's run to stop before its next node; the next `invoke` of the thread goes on there. */
    [[nodiscard]] stop_answer stop(const std::string& thread) const;

    [[nodiscard]] const std::shared_ptr<state_threads>& threads() const noexcept { return threads_; }
    /** A name for a thread whose request has none. */
    [[nodiscard]] std::string new_thread_id(random_source& random) const;
    /** The graph that is run. */
    [[nodiscard]] const weft::graph& graph() const noexcept { return graph_; }

private:
    friend class state_graph;
    compiled_state_graph(weft::graph of, state_compile_options options)
        : graph_{std::move(of)}, threads_{std::move(options.threads)}, ids_{std::move(options.thread_ids)}
    {
    }

    weft::graph graph_;
    std::shared_ptr<state_threads> threads_;
    std::shared_ptr<id_generator> ids_;
};

/** PyAgenity's `StateGraph` on weft's engine: a conversation and other keys, nodes that answer with messages, state or
 *  commands, static and conditional edges. It only configures a `weft::graph`.
 *
 *  A node's command goes before its conditional edges, these in their order before its first static edge, and without
 *  any of them the run ends.
 *
 *  @par Thread safety   None.
 *  @par Example         samples/facades.cpp [state]
 */
class state_graph {
public:
    template <class... Keys>
    explicit state_graph(std::string name, const Keys&... keys) : name_{std::move(name)}
    {
        (keys_.push_back(keys), ...);
    }

    /** @par Errors  `state_graph_error` `GRAPH_000`: "Invalid arguments for add_node", for a name that is blank,
     *               reserved or taken. */
    template <state_function Function>
    state_graph& add_node(std::string name, Function work, state_node_options options = {})
    {
        return add({std::move(name), make_state_work(std::move(work)), std::nullopt, std::move(options)});
    }
    /** A node whose work is a graph; keys of the same name are shared. */
    state_graph& add_node(std::string name, const compiled_state_graph& inner, state_node_options options = {});
    /** Replaces the work of a node, as a rule in a test.
     *  @par Errors  `errc::unknown_node`. */
    template <state_function Function>
    state_graph& override_node(std::string_view name, Function work)
    {
        return override_with(name, make_state_work(std::move(work)));
    }
    /** From `weft::start`: the same as `set_entry_point(to)`. */
    state_graph& add_edge(std::string from, std::string to);
    /** @param map  Label and node; empty: the router gives names of nodes. */
    state_graph& add_conditional_edges(std::string from, state_router route, std::vector<labelled_target> map = {});
    state_graph& set_entry_point(std::string node);

    /** @par Errors  `state_graph_error` with the first mistake, in the order of its ids. */
    [[nodiscard]] compiled_state_graph compile(state_compile_options options = {}) const;

    struct node {
        std::string name;
        state_work work;
        std::optional<graph> inner;
        state_node_options options;
    };
    struct edge {
        std::string from;
        std::string to;
    };
    struct decision {
        std::string from;
        state_router route;
        std::vector<labelled_target> map;
    };

    // For the checks.
    [[nodiscard]] const std::vector<node>& nodes() const noexcept { return nodes_; }
    [[nodiscard]] const std::vector<edge>& edges() const noexcept { return edges_; }
    [[nodiscard]] const std::vector<decision>& decisions() const noexcept { return decisions_; }
    [[nodiscard]] const std::string& entry() const noexcept { return entry_; }

private:
    state_graph& add(node added);
    state_graph& override_with(std::string_view name, state_work work);

    std::string name_;
    std::vector<any_state_key> keys_;
    std::vector<node> nodes_;
    std::vector<edge> edges_;
    std::vector<decision> decisions_;
    std::string entry_;
};

}  // namespace weft
