#pragma once

#include <weft/async/task.hpp>
#include <weft/graph/node/node_host.hpp>
#include <weft/graph/node/node_visit.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <type_traits>
#include <utility>

namespace weft {

/** What a node sees of its run: the state of its branch, which visit this is, and what can stop it.
 *
 *  Reads see the branch's state and the node's own writes. Writes are seen by others only when the node completes; a
 *  failed attempt leaves nothing behind.
 *
 *  What the engine and the kinds of nodes see of it, keys by slot and the writes themselves, is `node_visit`.
 *
 *  @par Thread safety   None: use it on the run's loop.
 *  @par Lifetimes       Valid until the node's callable or coroutine has ended.
 */
class node_context final : public node_visit {
public:
    using node_visit::node_visit;

    /** The value of a key.
     *  @par Errors  `missing_state_value`, `unknown_state_key`, `state_type_mismatch`. */
    template <class T, class R>
    [[nodiscard]] const T& get(const state_key<T, R>& key) const
    {
        const T* found = find(key);
        if (!found) refuse_missing(key.name());
        return *found;
    }

    /** The value of a key, or null if it has none. */
    template <class T, class R>
    [[nodiscard]] const T* find(const state_key<T, R>& key) const
    {
        const value_box* box = read(slot_of(key)).get();
        return box ? &unboxed<T>(*box) : nullptr;
    }

    /** The value of a key, or `otherwise` if it has none. */
    template <class T, class R>
    [[nodiscard]] T value_or(const state_key<T, R>& key, std::type_identity_t<T> otherwise) const
    {
        const T* found = find(key);
        return found ? *found : std::move(otherwise);
    }

    /** Writes a key: its reducer joins `update` to what is there; without a reducer `update` is the new value. */
    template <class T, class R, class U>
    void set(const state_key<T, R>& key, U&& update)
    {
        using update_type = typename state_key<T, R>::update_type;
        write({slot_of(key), false, false, graph_detail::box_for_key<update_type>(std::forward<U>(update))});
    }

    /** Replaces the value of a key, whatever its reducer. */
    template <class T, class R, class U>
    void overwrite(const state_key<T, R>& key, U&& value)
    {
        write({slot_of(key), true, false, graph_detail::box_for_key<T>(std::forward<U>(value))});
    }

    /** As `set`, and survives if the run is cancelled while this node works: partial results worth keeping. */
    template <class T, class R, class U>
    void publish(const state_key<T, R>& key, U&& update)
    {
        using update_type = typename state_key<T, R>::update_type;
        write({slot_of(key), false, true, graph_detail::box_for_key<update_type>(std::forward<U>(update))});
    }

    [[nodiscard]] std::string_view node() const noexcept { return info().node; }
    /** Which visit of this node this is in the run, from 1. */
    [[nodiscard]] std::uint32_t visit() const noexcept { return info().visit; }
    /** Which attempt of this visit, from 1. */
    [[nodiscard]] std::uint32_t attempt() const noexcept { return info().attempt; }
    /** Why the last attempt of this visit, or the node that this failure edge comes from, failed; null if none did. */
    [[nodiscard]] const failure* previous_failure() const noexcept { return before().failed; }
    /** At the join of a fan-out: how each branch ended, in the order of the edges. Elsewhere empty. */
    [[nodiscard]] std::span<const branch_result> branches() const;
    /** On a further visit of a node with `gives_feedback`: a note for a model that revises its own work. Elsewhere
     *  empty. */
    [[nodiscard]] std::string revision_note() const;
    /** What this node wrote to `key` on its last visit; null on its first, without `gives_feedback`, or if it wrote
     *  nothing there. */
    template <class T, class R>
    [[nodiscard]] const typename state_key<T, R>::update_type* find_prior(const state_key<T, R>& key) const
    {
        const value_box* box = prior(slot_of(key), *key.type().update);
        return box ? &unboxed<typename state_key<T, R>::update_type>(*box) : nullptr;
    }
    /** The thread (conversation) that the run belongs to. */
    [[nodiscard]] std::string_view thread() const noexcept { return host().thread(); }
    /** Whose thread it is; empty where there is one owner. */
    [[nodiscard]] std::string_view tenant() const noexcept { return host().tenant(); }

    /** What the run's spending is counted by; null if it has no budget and draws on none. */
    [[nodiscard]] std::shared_ptr<budget_ledger> budget() const noexcept { return host().budget(); }

    /** The trace that goes along with calls of other services: that of the run, and where spans are recorded with the
     *  span of this attempt as the innermost; null: none. */
    [[nodiscard]] std::shared_ptr<const trace_context> trace() const { return host().trace(*this); }

    /** What the graph is for, as text for a model: its description and its goal; in a graph inside another one that
     *  says neither, those of the one around it. Empty if no graph says anything. */
    [[nodiscard]] std::string purpose() const { return host().purpose(); }

    /** What agents remember beyond the run: the namespace of `run_options::memory`, and in it the one that
     *  `graph_builder::memory` says; null: nothing.
     *  @par Errors  `missing_state_value`, `state_conversion`: a key that names the namespace has no value, or none
     *               that can be a name. */
    [[nodiscard]] std::shared_ptr<const item_space> memory() const
    {
        note_deed();
        return host().memory(*this);
    }
    /** What the run may still use: a node that ends well before a limit reads it and goes another way. */
    [[nodiscard]] run_remaining remaining() const { return host().remaining(); }

    /** Stops siblings: branches of the fan-out that this node's branch belongs to, or of the nearest one around it that
     *  has such a branch. They end as `branch_status::stopped` and fail nothing; what they wrote is dropped. One that
     *  has not begun does not begin. The own branch goes on.
     *
     *  @param first_node  The first node of the branches. Branches that were sent share it: see `cancel_branch`.
     *  @return            How many were stopped. */
    std::size_t cancel_branches(std::string_view first_node)
    {
        note_deed();
        return host().cancel_branches(*this, {first_node, std::nullopt});
    }
    /** The same for the sibling with this place among the branches, from 0, as in `branch_result::index`.
     *  @return  Whether it was stopped: it was not over. */
    bool cancel_branch(std::uint32_t index)
    {
        note_deed();
        return host().cancel_branches(*this, {{}, index}) > 0;
    }

    /** Sends text to those that watch the run: a token of a model, a line of progress. Costs nothing without
     *  watchers. */
    void emit(std::string_view text) { host().emit(*this, "output", text); }
    void emit(std::string_view kind, std::string_view text) { host().emit(*this, kind, text); }
    /** The same with a text that is made for watchers only: `make` is called once, or not at all.
     *
     *      ctx.emit("verdict", [&] { return boost::json::serialize(told); });
     */
    template <class Make>
        requires std::is_invocable_r_v<std::string, Make>
    void emit(std::string_view kind, Make&& make)
    {
        host().emit(*this, kind, host().is_watched() ? std::string{std::forward<Make>(make)()} : std::string{});
    }
    /** Whether what the node emits is heard now. */
    [[nodiscard]] bool is_watched() const noexcept { return host().is_watched(); }

    /** Asks a person and waits for the answer, however long that takes. The node is parked meanwhile: its timeout does
     *  not run, and other branches go on. Several questions may be open at once.
     *
     *  A visit gets one answer for each of its questions, in the order in which it asks: a further attempt, and a run
     *  that is resumed, get the answers that were given before. So what stands above a question must lead to the same
     *  question again; `once` has effects there only once.
     *
     *  @return              The answer, checked against `asked`.
     *  @par Errors
     *    - `errc::invalid_configuration`  the question is wrong in itself: see `question::fault`.
     *    - `errc::timeout`                no answer came in time.
     *    - `errc::cancelled`              the node is being stopped.
     *  @par Cancellation    Withdraws the question. A run that ends `paused` with open questions destroys the
     *                       coroutine; a resume starts the node again.
     *  @par Example         samples/12_ask_a_person.cpp [ask]
     */
    [[nodiscard]] task<boost::json::value> interrupt(question asked)
    {
        note_deed();
        return host().interrupt(*this, std::move(asked));
    }
    /** The same for an answer of a type. */
    template <json_convertible T>
    [[nodiscard]] task<T> ask(question asked)
    {
        return convert_answer<T>(interrupt(std::move(asked)));
    }
    /** Asks for what `from_json<T>` reads. */
    template <json_convertible T>
    [[nodiscard]] task<T> ask(std::string text)
    {
        return ask<T>(question::of_type<T>(std::move(text)));
    }

    /** Has an effect on the world once in a visit, whatever happens meanwhile: the intent is written down before, the
     *  outcome after, and a further attempt, a resume or a replay gets the outcome that was written down.
     *
     *      const auto charge = [&](const effect_context& effect) { return bank.charge(amount, effect.key()); };
     *      const receipt paid = co_await ctx.once("charge", charge);
     *
     *  An intent without outcome (the process died, the call broke off) is in doubt: `options` says what to do then.
     *  Without a journal (`run_request::journal`) it just calls `f`.
     *
     *  @param name   Of the effect in this node. One that is used again in a visit counts up: 0, 1, … in the order of
     *                the calls, which must be the same in every attempt.
     *  @param f      The effect, see `effect_function`. Give it a name before the `co_await` (docs/COMPILERS.md).
     *  @return       Its outcome.
     *  @par Errors   Those of `f`; of the journal; `errc::effect_in_doubt`; `errc::state_conversion` if what was
     *                written down is no such outcome.
     *  @par Cancellation   As `f`; the effect is then in doubt.
     *  @par Example        samples/12_ask_a_person.cpp [once]
     */
    template <effect_function Function>
    [[nodiscard]] task<effect_outcome<Function>> once(std::string name, Function f)
    {
        return perform_once<Function>(*this, std::move(name), effect_options{}, std::move(f));
    }
    template <effect_function Function>
    [[nodiscard]] task<effect_outcome<Function>> once(std::string name, effect_options options, Function f)
    {
        return perform_once<Function>(*this, std::move(name), std::move(options), std::move(f));
    }

    [[nodiscard]] serial_loop& loop() const noexcept { return *context().loop; }
    /** Whether this attempt is to stop: the node's time or that of its branch or run is up, a sibling has failed, the
     *  run is cancelled, also by another OS thread. True at once, without a turn of the loop, so that a node that
     *  computes can ask and leave; one that got this answer counts as stopped or timed out, whatever it returns.
     *  Reads the clock: some 30 ns. */
    [[nodiscard]] bool stop_requested() const noexcept { return context().scope->stop_is_due(); }
    /** A standard token that follows this attempt: node timeout, a failing sibling, the run's stop. For other OS
     *  threads: it is stopped when the loop carries the stop out, which a node that computes keeps it from. */
    [[nodiscard]] std::stop_token stop_token() const { return context().scope->token(); }

    /** The state as this node sees it, without its own writes, as a snapshot. */
    [[nodiscard]] state snapshot() const { return branch().snapshot(); }

private:
    [[nodiscard]] std::uint32_t slot_of(const any_state_key& key) const
    {
        return layout().require(key, node());
    }
    [[nodiscard]] const value_ptr& read(std::uint32_t slot) const
    {
        if (info().scope) require_readable(slot);
        return value_at(slot);
    }
    template <class T>
    static task<T> convert_answer(task<boost::json::value> asking)
    {
        const boost::json::value answer = co_await std::move(asking);
        co_return from_json<T>(answer);
    }
    template <class Function>
    static task<effect_outcome<Function>> perform_once(node_context& node, std::string name, effect_options options,
                                                       Function f);
    [[noreturn]] void refuse_missing(std::string_view key) const;
};

namespace graph_detail {

/** Throws: what was written down of an effect is no such outcome any more. */
[[noreturn]] void refuse_outcome(const node_context& node, const std::string& name, const error& why);

template <class T>
T read_outcome(const node_context& node, const std::string& name, const boost::json::value& written)
{
    try {
        return from_json<T>(written);
    } catch (const error& why) {
        refuse_outcome(node, name, why);
    }
}

}  // namespace graph_detail

template <class Function>
task<effect_outcome<Function>> node_context::perform_once(node_context& node, std::string name,
                                                          effect_options options, Function f)
{
    using result = effect_outcome<Function>;
    node.note_deed();
    if (!node.host().keeps_effects()) {
        effect_context context;
        if constexpr (std::is_invocable_v<Function&, const effect_context&>)
            context = node.host().name_effect(node, name);
        co_return co_await graph_detail::run_effect(f, context);
    } else {
        graph_detail::typed_effect<Function> call{f};
        const boost::json::value outcome = co_await node.host().once(node, name, options, call);
        if constexpr (!std::is_void_v<result>) co_return graph_detail::read_outcome<result>(node, name, outcome);
    }
}

}  // namespace weft
