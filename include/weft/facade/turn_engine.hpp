#pragma once

#include <weft/engine/engine.hpp>
#include <weft/facade/turn/turn_context.hpp>
#include <weft/facade/turn/turn_plan.hpp>
#include <weft/graph/graph_builder.hpp>

#include <deque>
#include <mutex>
#include <optional>

namespace weft {

/** A failure with what is needed to look into it, or to try again by hand. */
template <class S>
struct dead_letter {
    std::exception_ptr error;
    std::string message;
    std::string node_id;
    S state;                                  ///< Before the node, or before the node whose router failed.
    std::string correlation_id;
    clock::system_time_point timestamp;
};

/** The last failures of an engine's runs; when it is full the oldest go. @par Thread safety From any OS thread. */
template <class S>
class dead_letter_queue {
public:
    explicit dead_letter_queue(std::size_t size_max) : size_max_{size_max} {}
    /** Adds a letter; the oldest makes room for it. */
    void push(dead_letter<S> letter)
    {
        const std::lock_guard lock{mutex_};
        letters_.push_back(std::move(letter));
        if (letters_.size() > size_max_) letters_.pop_front();
    }
    /** A copy of those that are kept, the oldest first. */
    [[nodiscard]] std::vector<dead_letter<S>> letters() const
    {
        const std::lock_guard lock{mutex_};
        return {letters_.begin(), letters_.end()};
    }

private:
    mutable std::mutex mutex_;
    std::size_t size_max_;
    std::deque<dead_letter<S>> letters_;
};

/** Where a run stands: to go on later, with what is left of its budgets and a fresh budget of steps. */
template <class S>
struct turn_checkpoint {
    std::string correlation_id;
    std::string current_node;                 ///< The next one.
    std::uint32_t step_count = 0;
    S state;
    turn_spending spent;
    clock::system_time_point timestamp;
    std::shared_ptr<const frontier> at = {};  ///< Null for one that was written by hand: then `current_node` counts.
};

/** What became of a run. */
template <class S>
struct turn_result {
    S state;
    std::uint32_t steps = 0;
    std::vector<std::string> path;            ///< Node ids; a branch of a parallel edge is `from/branch`.
    turn_spending spent;
    std::string correlation_id;
    std::optional<turn_checkpoint<S>> paused_at;
};

/** How an engine runs.
 *
 *      weft::turn_options<my_state> options;
 *      options.limits.max_steps = 20;
 */
template <class S>
struct turn_options {
    turn_limits limits = {};
    std::size_t dead_letters_max = 100;
    /** Around every node. What they throw fails the node. */
    std::function<void(std::string_view node, const S&)> on_before_node = {};
    std::function<void(std::string_view node, const S&)> on_after_node = {};
};

/** What to run with.
 *
 *      weft::turn_request<my_state> request;
 *      request.correlation_id("order-7").stop(token);
 */
template <class S>
class turn_request {
public:
    turn_request() {}
    /** By default 32 random hexadecimal digits. */
    turn_request& correlation_id(std::string id) { correlation_id_ = std::move(id); return *this; }
    /** Called on the run's loop after each node. An exception from it fails the run. */
    turn_request& on_checkpoint(std::function<void(const turn_checkpoint<S>&)> keep)
    {
        keep_ = std::move(keep);
        return *this;
    }
    /** Called with every event of the run, on its loop; see `run_request::on_event`. */
    turn_request& on_event(std::function<void(const run_event&)> watch)
    {
        watch_ = std::move(watch);
        return *this;
    }
    /** Cancels the run: the nodes at work are stopped, and `run` throws `errc::cancelled`. */
    turn_request& stop(std::stop_token token) { stop_ = std::move(token); return *this; }
    /** Lets the running node finish and starts no further one; the result has a checkpoint. */
    turn_request& pause(std::stop_token token) { pause_ = std::move(token); return *this; }

    // For the engine.
    std::string correlation_id_;
    std::function<void(const turn_checkpoint<S>&)> keep_;
    std::function<void(const run_event&)> watch_;
    std::stop_token stop_;
    std::stop_token pause_;
};

/** The engine under Ivy's turn graph, on weft's: one state object, nodes that change it in place, at most one edge that
 *  leaves each node, limits, dead letters, checkpoints. It only configures a `weft::graph`.
 *
 *  Each node works on a copy of the state, which becomes the state when it has succeeded; so a retry begins with the
 *  state before, and branches of a parallel edge do not see each other.
 *
 *  @tparam S   The state; copyable. Stored if it converts to JSON.
 *  @par Thread safety   From any OS thread; runs share nothing but the graph and the dead letters.
 *  @par Example         samples/facades.cpp [turn]
 */
template <std::copyable S>
class turn_engine {
public:
    /** Runs from the entry on a copy of `initial`.
     *
     *  @par Errors
     *    - `turn_limit_error`  a limit, with its dimension.
     *    - `errc::cancelled`   the run was stopped.
     *    - what a node, router, merge or hook throws; also kept as a dead letter with the state before it.
     *  @par Cancellation    Stops the nodes at work. */
    [[nodiscard]] task<turn_result<S>> run(S initial, turn_request<S> request = {}) const;
    /** Goes on where a checkpoint stands.
     *  @par Errors  Those of `run`; `errc::unknown_node` for a node that the graph does not have. */
    [[nodiscard]] task<turn_result<S>> resume(turn_checkpoint<S> from, turn_request<S> request = {}) const;

    /** The last failures of all runs of this engine and its copies, the oldest first. */
    [[nodiscard]] std::vector<dead_letter<S>> dead_letters() const { return letters_->letters(); }
    /** The graph that is run. */
    [[nodiscard]] const weft::graph& graph() const noexcept { return graph_; }

private:
    template <std::copyable>
    friend class turn_graph;
    turn_engine(weft::graph of, turn_options<S> options)
        : graph_{std::move(of)}, options_{std::move(options)},
          letters_{std::make_shared<dead_letter_queue<S>>(options_.dead_letters_max)}
    {
    }

    weft::graph graph_;
    turn_options<S> options_;
    std::shared_ptr<dead_letter_queue<S>> letters_;
};

/** Describes a turn graph; serves for one `build`.
 *
 *      weft::turn_graph<my_state> graph;
 *      graph.add_node("ask", ask).add_node("check", check).add_edge("ask", "check");
 *      graph.add_conditional_edge("check", [](const my_state& s) { return s.is_good ? "__END__" : "ask"; });
 *      graph.set_entry_point("ask");
 *      const auto engine = graph.build();
 *
 *  @par Thread safety   None.
 */
template <std::copyable S>
class turn_graph {
public:
    using work_function = std::function<task<void>(S&, turn_context&)>;
    using router_function = std::function<std::string(const S&)>;
    using merge_function = std::function<S(std::vector<S>)>;

    /** @param work  A callable on `S&` or on `S&` and `turn_context&`, plain or a `task<void>`.
     *  @par Errors  Of this and the following: `errc::invalid_graph`; see `turn_plan`. */
    template <class Function>
    turn_graph& add_node(std::string id, Function work, turn_node_options options = {})
    {
        turn_plan::require_unbuilt(is_built_);
        plan_.add_node(std::move(id), std::move(options));
        works_.push_back([work = std::move(work)](S& state, turn_context& context) {
            return engine_detail::run_turn_work<S>(work, state, context);
        });
        return *this;
    }
    /** The one edge that leaves `from`. @par Errors  `errc::invalid_graph`: it has one already. */
    turn_graph& add_edge(const std::string& from, std::string to)
    {
        turn_plan::require_unbuilt(is_built_);
        plan_.add_edge(from, std::move(to));
        return *this;
    }
    /** @param router  Gives the id of the next node, or `turn_end`. */
    turn_graph& add_conditional_edge(const std::string& from, router_function router)
    {
        turn_plan::require_unbuilt(is_built_);
        if (!router)
            throw error{errc::invalid_graph, {}, "addConditionalEdge: The router of '" + from + "' must be callable."};
        plan_.add_conditional_edge(from);
        routers_.emplace_back(from, std::move(router));
        return *this;
    }
    /** Each target runs once, at the same time as the others and on a copy of the state; `merge` makes the states, in
     *  the order of the targets, one; then the run goes on at `then`. */
    turn_graph& add_parallel_edge(const std::string& from, std::vector<std::string> targets, merge_function merge,
                                  std::string then)
    {
        turn_plan::require_unbuilt(is_built_);
        plan_.add_parallel_edge(from, std::move(targets), std::move(then));
        merges_.emplace_back(from, std::move(merge));
        return *this;
    }
    /** The node that a run begins with. */
    turn_graph& set_entry_point(std::string id)
    {
        turn_plan::require_unbuilt(is_built_);
        plan_.set_entry(std::move(id));
        return *this;
    }
    /** A sentence for each mistake of the graph so far; see `turn_plan::validate`. */
    [[nodiscard]] std::vector<std::string> validate() const { return plan_.validate(); }

    /** @par Errors  `errc::invalid_graph`: "Graph validation failed:", "already been built"; `invalid_configuration`
     *               for `max_steps` below 1. */
    [[nodiscard]] turn_engine<S> build(turn_options<S> options = {});

private:
    // The plan knows names and edges; the functions stand beside it, as they depend on the state's type.
    turn_plan plan_;
    std::vector<work_function> works_;  // in the order of the plan's nodes
    std::vector<std::pair<std::string, router_function>> routers_;
    std::vector<std::pair<std::string, merge_function>> merges_;
    bool is_built_ = false;
};

}  // namespace weft

#include <weft/facade/turn/turn_engine_build.hpp>
#include <weft/facade/turn/turn_engine_run.hpp>
