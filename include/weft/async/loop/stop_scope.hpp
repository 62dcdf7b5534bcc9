#pragma once

#include <weft/async/loop/linked_list.hpp>
#include <weft/base/chrono.hpp>

#include <cstdint>
#include <stop_token>

namespace weft {

class stop_scope;

/** Something that a stop reaches: a pending operation, a child scope. An intrusive node of a `stop_scope`.
 *
 *  `on_stop` runs on the loop and only asks: it may queue work, and never resumes a coroutine itself.
 */
class stoppable : public list_node<stop_scope> {
public:
    using function = void (*)(stoppable&);

    /** @param on_stop   Called at most once for each registration: the stop takes it out of the scope first. */
    explicit stoppable(function on_stop) noexcept : on_stop_{on_stop} {}

    /** Whether a stop would reach it. */
    [[nodiscard]] bool is_linked() const noexcept { return list_node<stop_scope>::is_linked(); }
    /** Out of its scope: the operation has ended, or its coroutine is gone. */
    void unlink() noexcept { list_node<stop_scope>::unlink(); }

private:
    friend class stop_scope;
    function on_stop_;
};

/** The reach of a stop: operations and child scopes register here, `request_stop` asks all of them to end.
 *
 *  Scopes nest: stopping a parent stops its children. A wait that begins in a stopped scope suspends for one turn of
 *  the loop and ends then, so that a coroutine that goes on after it cannot keep the loop to itself.
 *
 *  @par Thread safety   None: a scope belongs to one loop. `token()` may be handed to any OS thread.
 *  @par Lifetimes       The parent outlives the scope; whatever registered unlinks itself when it ends.
 */
class stop_scope {
public:
    /** A scope that a stop reaches only by its own `request_stop`. `inner_stop_scope` is one below another. */
    stop_scope() noexcept = default;

    /** Whether a stop has been carried out here: what waits was asked to end. */
    [[nodiscard]] bool stop_requested() const noexcept { return is_stopped_; }

    /** As `stop_requested`, and also true as soon as a stop is on its way that the loop has not come to yet: another OS
     *  thread has asked for it, or a limit of time has passed. For coroutines that compute and ask. Reads the clock. */
    [[nodiscard]] bool stop_is_due() const noexcept;

    /** Registers an operation. The scope must not be stopped: an operation looks before it starts. */
    void add(stoppable& operation) noexcept { registered_.push(operation); }

    /** Asks everything registered to end. Resumes nothing by itself; doing it twice is the same as once. */
    void request_stop()
    {
        if (is_stopped_) return;
        is_stopped_ = true;
        // One by one: what an operation does may take others out of the list.
        while (!registered_.empty()) {
            stoppable& operation = registered_.pop();
            operation.on_stop_(operation);
        }
        source_.request_stop();
    }

    /** A standard token that follows this scope; made on first use. It is stopped when the loop carries the stop out:
     *  for other OS threads, while code on the loop asks `stop_is_due`. */
    [[nodiscard]] std::stop_token token()
    {
        if (!source_.stop_possible()) {
            source_ = std::stop_source{};
            if (is_stopped_) source_.request_stop();
        }
        return source_.get_token();
    }

    /** A coroutine of the scope has held the loop for so long, between two waits: tells the owner of the chain. */
    void step_ended(std::chrono::nanoseconds held) const;

    /** Counts a wait that begins here after the stop, or in a scope that was made below after it.
     *  @return  How many there were, this one included. */
    std::uint32_t count_refusal() noexcept { return ++refusals_; }

protected:
    /** Which class it is: in place of a virtual function, so that scopes stay small. */
    enum class kind : std::uint8_t { plain, inner, outer };
    explicit stop_scope(kind which) noexcept : kind_{which} {}

    /** A stop of `parent` reaches this scope from now on, by `place`, a part of it. Once, before it is used. */
    // A scope that is made below a stopped one is stopped from the start, and counts as a wait that was refused: a
    // coroutine that makes scope after scope in a stopped chain is found out as one that waits again and again.
    void lie_below(stop_scope& parent, stoppable& place) noexcept
    {
        if (parent.is_stopped_) {
            is_stopped_ = true;
            refusals_ = parent.count_refusal();
        } else {
            parent.add(place);
        }
    }

private:
    /** The scope around it; null if there is none. */
    [[nodiscard]] const stop_scope* around() const noexcept;

    linked_list<stoppable, stop_scope> registered_;     // what a stop asks to end
    std::stop_source source_{std::nostopstate};         // has no state before `token`
    std::uint32_t refusals_ = 0;
    bool is_stopped_ = false;
    kind kind_ = kind::plain;
};

/** A scope below another one, whose stop reaches it. */
class inner_stop_scope : public stop_scope, private stoppable {
public:
    /** @param parent   Null: there is none, as if it were a `stop_scope`. */
    explicit inner_stop_scope(stop_scope* parent) noexcept
        : stop_scope{kind::inner},
          stoppable{[](stoppable& self) { static_cast<inner_stop_scope&>(self).request_stop(); }}, parent_{parent}
    {
        if (parent) lie_below(*parent, *this);
    }

private:
    friend class stop_scope;

    const stop_scope* parent_;
};

/** A scope whose stop comes from outside of its chain of coroutines: another OS thread, a limit of time. What owns
 *  it carries the stop out on the loop, and says before that whether one is due.
 */
class outer_stop_scope : public stop_scope {
public:
    outer_stop_scope() noexcept : stop_scope{kind::outer} {}

protected:
    ~outer_stop_scope() = default;

private:
    friend class stop_scope;
    /** Asked on the loop, possibly from within a coroutine of the scope: it changes nothing but what it remembers. */
    [[nodiscard]] virtual bool is_due() const noexcept = 0;
    /** Called where a coroutine of the scope begins to wait, which has held the loop for so long; it must not resume or
     *  destroy it. @return  False: the time is for the owner of a scope around this one. */
    [[nodiscard]] virtual bool takes_step(std::chrono::nanoseconds /*held*/) const { return false; }
    /** The scope in which it lies all the same; null: in none. */
    [[nodiscard]] virtual const stop_scope* lies_in() const noexcept { return nullptr; }
};

inline const stop_scope* stop_scope::around() const noexcept
{
    switch (kind_) {
    case kind::plain: return nullptr;
    case kind::inner: return static_cast<const inner_stop_scope*>(this)->parent_;
    case kind::outer: return static_cast<const outer_stop_scope*>(this)->lies_in();
    }
    return nullptr;
}

// The innermost owner that measures gets the time, and no other: a run within a run measures its own steps.
inline void stop_scope::step_ended(std::chrono::nanoseconds held) const
{
    for (const stop_scope* scope = this; scope; scope = scope->around()) {
        if (scope->kind_ != kind::outer) continue;
        const auto& outer = static_cast<const outer_stop_scope&>(*scope);
        if (outer.takes_step(held)) return;
    }
}

inline bool stop_scope::stop_is_due() const noexcept
{
    for (const stop_scope* scope = this; scope; scope = scope->around()) {
        if (scope->is_stopped_) return true;
        if (scope->kind_ != kind::outer) continue;
        const auto& outer = static_cast<const outer_stop_scope&>(*scope);
        if (outer.is_due()) return true;
    }
    return false;
}

}  // namespace weft
