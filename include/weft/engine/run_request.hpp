#pragma once

#include <weft/base/memory/copied_ptr.hpp>
#include <weft/base/memory/hidden_ptr.hpp>
#include <weft/base/text/trace_context.hpp>
#include <weft/engine/run_event.hpp>
#include <weft/engine/run_options.hpp>
#include <weft/engine/scheduler/open_question.hpp>
#include <weft/engine/scheduler/run_identity.hpp>
#include <weft/graph/node/command.hpp>
#include <weft/graph/state/write_set.hpp>

#include <boost/json/fwd.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace weft {

class effect_journal;
struct frontier;

/** What to run: the thread it belongs to, its first state, its limits, what may stop it.
 *
 *      weft::run_request request{topic, "rain"};
 *      request.options(limits).stop(token);
 *      weft::run_result result = co_await engine.run(std::move(request));
 *
 *  The setters return the request itself, so they also chain on a temporary:
 *  `engine.run(weft::run_request{"t"}.input(topic, "rain"))`. The engine then gets a copy, which shares the values of
 *  the state; a request that has a name can be moved instead.
 */
class run_request {
public:
    using event_function = std::function<void(const run_event&)>;
    /** Goes on with the same writes, for as long as a turn of the loop may take. @return  True when it is done. */
    using writes_rest = std::function<bool(write_set& writes)>;
    /** @return  Empty if it is done. */
    using writes_function = std::function<writes_rest(const run_event& visit, write_set& writes)>;

    run_request() noexcept {}
    /** @param thread  The conversation that the run belongs to; free text. An `engine` keeps nothing of a thread: it
     *                 tells nodes the name and no more, and any number of its runs may have one name at once. A
     *                 `durable_engine` keeps threads: there one run of a thread is under way at a time. */
    explicit run_request(std::string thread) { own().thread = std::move(thread); }
    /** With a first value, as by `input`: `run_blocking(graph, {topic, "rain"})`. */
    template <class T, class R, class U>
    run_request(const state_key<T, R>& key, U&& value)
    {
        values().set(key, std::forward<U>(value));
    }

    /** The conversation that the run belongs to, as by the constructor, and whose it is. */
    run_request& in_thread(std::string thread, std::string tenant = {})
    {
        own().thread = std::move(thread);
        own().tenant = std::move(tenant);
        return *this;
    }
    /** A first value; goes through the key's reducer as a node's write would. */
    template <class T, class R, class U>
    run_request& input(const state_key<T, R>& key, U&& value)
    {
        values().set(key, std::forward<U>(value));
        return *this;
    }
    /** First values of any keys. */
    run_request& input(state_update values)
    {
        this->values() = std::move(values);
        return *this;
    }
    /** A first value that is there whatever the key's reducer: a whole conversation for a key that appends. */
    template <class T, class R, class U>
    run_request& overwrite(const state_key<T, R>& key, U&& value)
    {
        values().overwrite(key, std::forward<U>(value));
        return *this;
    }
    /** First values by key name, as they are: no reducer joins them.
     *  @par Errors  In the run's result: `unknown_state_key`, `state_conversion`. */
    run_request& input(boost::json::object values);
    /** Where the run goes on instead of at its start: a paused run's `paused_at`, or a frontier kept by `on_save`. The
     *  input joins the state there; branches that have written the same key keep what they have. */
    run_request& resume(std::shared_ptr<const frontier> from)
    {
        own().from = std::move(from);
        return *this;
    }
    /** Answers to open questions, by address, for a run that is resumed.
     *  @par Errors  In the run's result, before anything runs: `unknown_question`, listing the open ones, if the
     *               paused run has no such question; `invalid_answer` if one does not fit. The paused run can still be
     *               resumed. */
    run_request& answers(question_answers given);
    run_request& answer(std::string address, boost::json::value value);
    /** What to do when only questions are left; by default `pause` for `engine::run`, `park` for `engine::start`. */
    run_request& on_questions(interrupts mode)
    {
        own().on_questions = mode;
        return *this;
    }
    /** Where effects and questions are written down; null: nowhere. By default that of the run that is resumed. */
    run_request& journal(std::shared_ptr<effect_journal> journal)
    {
        own().journal = std::move(journal);
        return *this;
    }
    /** Gives the input of a run that is kept a checkpoint of its own, before the first node, so that a thread can go
     *  back to where only that had happened. A further run of a thread does so in any case. */
    run_request& saves_input(bool does = true)
    {
        own().saves_input = does;
        return *this;
    }
    /** Which run this is, and which part of it, where a store or a server has named it already. By default a run makes
     *  an id of its own, and one that is resumed keeps it and begins its next part. */
    run_request& identity(run_identity which)
    {
        own().identity = which;
        return *this;
    }
    /** The trace that the run belongs to: it goes along with its calls of services, agents, MCP servers and models. */
    run_request& trace(trace_context context)
    {
        own().trace = std::make_shared<const trace_context>(std::move(context));
        return *this;
    }
    run_request& options(run_options options)
    {
        own().options = std::move(options);
        own().has_options = true;
        return *this;
    }
    /** Stops the run, from any OS thread, down to its sockets. */
    run_request& stop(std::stop_token token)
    {
        own().stop = std::move(token);
        return *this;
    }
    /** Pauses the run, from any OS thread: the running nodes finish and no further one starts. */
    run_request& pause(std::stop_token token)
    {
        own().pause = std::move(token);
        return *this;
    }
    /** Shares the ownership of what a token needs in order to stop, such as one that joins two others. */
    run_request& keep(std::shared_ptr<const void> what)
    {
        own().kept = std::move(what);
        return *this;
    }
    /** Called on the run's loop for every event. An exception from it is swallowed: watchers do not disturb runs. */
    run_request& on_event(event_function watcher)
    {
        own().watcher = watcher ? std::make_unique<event_function>(std::move(watcher)) : nullptr;
        return *this;
    }
    /** Called on the run's loop when a node has succeeded, before what it has written joins the state: it may change
     *  the writes, such as to give ids to what clients will see. `visit` says whose they are, as events do; it is no
     *  event, and has no numbers. Only for runs that have a watcher. What it throws is a failure of the node.
     *
     *  What would hold the loop for long is done in pieces: `amend` returns what does the rest, which is called once in
     *  each turn of the loop until it is done, and destroyed early if the node is stopped. The node is at work until
     *  then. */
    run_request& amend_writes(writes_function amend)
    {
        own().amend = amend ? std::make_unique<writes_function>(std::move(amend)) : nullptr;
        return *this;
    }

    [[nodiscard]] const std::string& thread() const noexcept { return seen().thread; }
    [[nodiscard]] const std::string& tenant() const noexcept { return seen().tenant; }
    /** Null unless the run is resumed. */
    [[nodiscard]] const std::shared_ptr<const frontier>& resumed_from() const noexcept { return seen().from; }
    [[nodiscard]] const run_options& limits() const noexcept { return seen().options; }
    /** Whether `options` was called. */
    [[nodiscard]] bool has_options() const noexcept { return seen().has_options; }
    [[nodiscard]] bool does_save_input() const noexcept { return seen().saves_input; }
    [[nodiscard]] const std::stop_token& stop_token() const noexcept { return seen().stop; }
    [[nodiscard]] const std::stop_token& pause_token() const noexcept { return seen().pause; }
    /** Null if there is none. */
    [[nodiscard]] const std::shared_ptr<const trace_context>& trace_of() const noexcept { return seen().trace; }
    /** Null if there is none. */
    [[nodiscard]] const event_function* watcher() const noexcept { return seen().watcher.get(); }
    /** Null if there is none. */
    [[nodiscard]] const writes_function* amender() const noexcept { return seen().amend.get(); }

private:
    friend struct run_request_access;  // the engine
    struct data {
        static void* operator new(std::size_t size) { return allocate_block(size); }
        static void operator delete(void* memory, std::size_t size) noexcept { free_block(memory, size); }

        std::string thread;
        std::string tenant;
        std::shared_ptr<const boost::json::object> json_input;
        std::shared_ptr<const frontier> from;
        run_identity identity;
        run_options options;
        bool has_options = false;
        bool saves_input = false;
        std::stop_token stop;
        std::stop_token pause;
        std::shared_ptr<const void> kept;
        std::shared_ptr<const trace_context> trace;
        copied_ptr<event_function> watcher;
        copied_ptr<writes_function> amend;
        hidden_ptr<question_answers> answers;
        std::optional<interrupts> on_questions;
        std::shared_ptr<effect_journal> journal;
    };
    [[nodiscard]] static const data& defaults() noexcept;
    static const data& unchanged;
    [[nodiscard]] const data& seen() const noexcept { return data_ ? *data_ : unchanged; }
    [[nodiscard]] data& own() { return data_ ? *data_ : make_own(); }
    [[nodiscard]] data& make_own();

    [[nodiscard]] state_update& values()
    {
        if (!input_) input_ = state_update{};
        return *input_;
    }

    copied_ptr<state_update> input_;
    hidden_ptr<data> data_;  // null while everything is as by default, so that requests are small
};

// In each source that includes this, before whatever there makes a request: a run asks some twenty times.
inline const run_request::data& run_request::unchanged = run_request::defaults();

}  // namespace weft
