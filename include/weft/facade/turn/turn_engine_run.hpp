#pragma once

/** How a turn engine runs. A part of turn_engine.hpp. */

#include <weft/engine/scheduler/frontier.hpp>
#include <weft/facade/turn_engine.hpp>

namespace weft::engine_detail {

// The engine knows frontiers and failures; the turn engine's users know one state, node ids and the exception that a
// node threw. What stands here translates between the two, in both directions, and decides nothing about the run.
/** One run: where it begins, its checkpoints, and its end in the source system's words. */
template <class S>
class turn_driver {
public:
    /** @param letters   Where nodes that failed are noted; shared by all runs of the engine.
     *  @param loop      The one that the run is on: its clock and its randomness are used. */
    turn_driver(graph what, turn_options<S> options, std::shared_ptr<dead_letter_queue<S>> letters,
                turn_request<S> request, serial_loop& loop)
        : graph_{std::move(what)}, options_{std::move(options)}, letters_{std::move(letters)},
          request_{std::move(request)}, loop_{loop}
    {
    }

    /** The request of a run from the entry. */
    [[nodiscard]] run_request begin(S initial)
    {
        run_request made = request_for({}, request_.correlation_id_);
        made.input(turn_state_key<S>(), std::move(initial));
        return made;
    }

    /** The request of a run that goes on at a checkpoint: with what was spent before, the same correlation id unless
     *  the request has one, and a fresh budget of steps.
     *  @par Errors   `errc::unknown_node`   of a checkpoint that was written by hand. */
    [[nodiscard]] run_request go_on(const turn_checkpoint<S>& from)
    {
        const bool is_same = request_.correlation_id_.empty();
        const std::string& correlation = is_same ? from.correlation_id : request_.correlation_id_;
        auto at = from.at ? std::make_shared<frontier>(*from.at) : frontier_at(from);
        at->steps = 0;  // the budget of steps is fresh
        run_request made = request_for(from.spent, correlation);
        made.resume(std::move(at));
        return made;
    }

    /** What the user gets of a run that has ended.
     *  @par Errors   `errc::cancelled`, `turn_limit_error`, or what a node, router, merge or hook threw. */
    [[nodiscard]] turn_result<S> to_result(const run_result& ended)
    {
        // The exception alone says that the run was stopped, as in the source system: half a run has no result.
        if (ended.status == run_status::cancelled) throw error{errc::cancelled, "turn engine"};
        if (ended.status == run_status::failed) fail(ended);
        turn_result<S> result{ended.get(turn_state_key<S>()), ended.steps, {}, run_->meter.spent(),
                              run_->correlation_id, {}};
        for (const std::string_view node : ended.path()) result.path.emplace_back(node);
        if (ended.paused_at) result.paused_at = checkpoint_at(ended.paused_at);
        return result;
    }

private:
    /** What both ways of beginning have in common: limits, stop, pause, events, and checkpoints as they are made.
     *  @param before        Spent by earlier parts of the run.
     *  @param correlation   Empty: one is made. */
    run_request request_for(const turn_spending& before, std::string correlation)
    {
        // 32 hexadecimal digits, from the source of randomness of the loop: a simulation gives the same ones again.
        for (const bool is_missing = correlation.empty(); is_missing && correlation.size() < 32;)
            correlation.push_back("0123456789abcdef"[loop_.random().below(16)]);
        run_ = std::make_shared<turn_run<S>>(options_.limits, before, loop_.clock(), std::move(correlation));
        run_options limits;
        limits.steps_max(options_.limits.max_steps).at_limit(step_limit_action::fail);
        // The meter looks before each node; the limit of the run stops a node that is at work, too.
        if (const auto left = run_->meter.time_left()) limits.elapsed_max(*left);
        if (request_.keep_)
            limits.on_save([this](const frontier& at) {
                request_.keep_(checkpoint_at(std::make_shared<const frontier>(at)));
            });
        auto made = run_request{}.options(std::move(limits)).stop(request_.stop_).pause(request_.pause_);
        made.input(turn_run_key<S>, run_);
        if (request_.watch_) made.on_event(request_.watch_);
        return made;
    }

    /** Stands before the node that a checkpoint names. */
    [[nodiscard]] std::shared_ptr<frontier> frontier_at(const turn_checkpoint<S>& from) const
    {
        state values{graph_.layout()};
        values.writable(graph_.layout()->require(turn_state_key<S>(), "resume")) = make_box<S>(from.state);
        // One branch that is ready at the node, as a run has it between two nodes.
        auto at = std::make_shared<frontier>(std::move(values));
        run_branch next;
        next.node = from.current_node == turn_end ? end_node : graph_.find(from.current_node);
        if (next.node == no_node || next.node == start_node)
            throw error{errc::unknown_node, "resume", "Node '" + from.current_node + "' does not exist."};
        next.phase = branch_phase::ready;
        at->branches.push_back(std::move(next));
        return at;
    }

    /** A frontier in the words of the turn engine. It stays with the checkpoint, so that nothing is lost on the way. */
    [[nodiscard]] turn_checkpoint<S> checkpoint_at(std::shared_ptr<const frontier> at) const
    {
        std::string next;
        // Of a parallel edge the first branch that is at work names the place; the frontier knows them all.
        for (const run_branch& t : at->branches)
            if (next.empty() && t.phase != branch_phase::free && t.phase != branch_phase::forked)
                next = t.node == end_node ? std::string{turn_end} : std::string{graph_.name_of(t.node)};
        const std::uint32_t steps = at->steps;
        S state = at->root->root().get(turn_state_key<S>());
        return {run_->correlation_id, std::move(next), steps, std::move(state), run_->meter.spent(),
                loop_.clock().system_now(), std::move(at)};
    }

    /** Throws why the run failed. A limit is no dead letter: the state is where it was, and more budget lets it go on.
     *  All else is kept as a letter with the state before the node, or before the node whose router failed. */
    [[noreturn]] void fail(const run_result& ended)
    {
        const failure& why = *ended.why;
        std::string_view id{why.node};  // of a branch, without the node that it forked from
        id.remove_prefix(id.find('/') == id.npos ? 0 : id.find('/') + 1);
        // Which limit it was is asked in the order of the meter: the first that is used up names itself.
        if (run_->used_up) throw run_->meter.error_for(*run_->used_up, id);
        if (why.code == errc::run_timeout && !why.cause) throw run_->meter.error_for(turn_dimension::time, id);
        if (why.code == errc::steps_exceeded && !why.cause)
            throw run_->meter.error_for(run_->meter.used_up().value_or(turn_dimension::steps), id);
        const bool is_routing = why.code == errc::condition_failed;
        const std::exception_ptr cause = cause_of(why, ended.steps, id);
        const S* const now = ended.state.find(turn_state_key<S>());
        if (now)
            letters_->push({cause, text_of(cause), std::string{id},
                            is_routing && run_->before_router ? *run_->before_router : *now, run_->correlation_id,
                            loop_.clock().system_now()});
        std::rethrow_exception(cause);
    }

    /** The exception that the node threw, as it was thrown; one is made where the engine failed the node itself. */
    [[nodiscard]] std::exception_ptr cause_of(const failure& why, std::uint32_t steps, std::string_view id) const
    {
        if (why.code == errc::node_timeout && !why.cause)
            return std::make_exception_ptr(error{why.code, "Node '" + std::string{id} + "'", why.message});
        if (!why.cause) return std::make_exception_ptr(error{why.code, {}, why.message});
        try {
            std::rethrow_exception(why.cause);
        // The router of the engine only knows labels; the text is that of the source system.
        } catch (const invalid_turn_target& target) {
            const std::string text = "Node '" + target.id + "' not found in graph (step " + std::to_string(steps) +
                                     "). This likely means a conditional edge returned an invalid node ID.";
            return std::make_exception_ptr(error{errc::unknown_node, {}, text});
        } catch (...) {
            return why.cause;
        }
    }

    // Values, as the run may outlive the engine that was asked for it.
    graph graph_;
    turn_options<S> options_;
    std::shared_ptr<dead_letter_queue<S>> letters_;
    turn_request<S> request_;
    serial_loop& loop_;
    std::shared_ptr<turn_run<S>> run_;  // from `request_for` on; nodes see it by `turn_run_key`
};

/** Runs a turn graph from a state or from a checkpoint.
 *  @par Lifetimes   All are values: the engine that asked may be gone before the run has ended. */
template <class S>
task<turn_result<S>> run_turns(graph what, turn_options<S> options, std::shared_ptr<dead_letter_queue<S>> letters,
                               std::variant<S, turn_checkpoint<S>> from, turn_request<S> request)
{
    serial_loop& loop = co_await this_task::loop();
    // The engine runs the graph; the driver says how it begins, and what its end means.
    turn_driver<S> driver{what, std::move(options), std::move(letters), std::move(request), loop};
    run_request made = from.index() == 0 ? driver.begin(std::get<0>(std::move(from))) : driver.go_on(std::get<1>(from));
    const engine with{std::move(what)};
    const run_result ended = co_await with.run(std::move(made));
    co_return driver.to_result(ended);
}

}  // namespace weft::engine_detail

namespace weft {

template <std::copyable S>
task<turn_result<S>> turn_engine<S>::run(S initial, turn_request<S> request) const
{
    return engine_detail::run_turns<S>(graph_, options_, letters_,
                                       std::variant<S, turn_checkpoint<S>>{std::in_place_index<0>, std::move(initial)},
                                       std::move(request));
}

template <std::copyable S>
task<turn_result<S>> turn_engine<S>::resume(turn_checkpoint<S> from, turn_request<S> request) const
{
    return engine_detail::run_turns<S>(graph_, options_, letters_,
                                       std::variant<S, turn_checkpoint<S>>{std::in_place_index<1>, std::move(from)},
                                       std::move(request));
}

}  // namespace weft
