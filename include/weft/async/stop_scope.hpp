#pragma once

#include <weft/async/linked_list.hpp>

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

    explicit stoppable(function on_stop) noexcept : on_stop_{on_stop} {}

    [[nodiscard]] bool is_linked() const noexcept { return list_node<stop_scope>::is_linked(); }
    void unlink() noexcept { list_node<stop_scope>::unlink(); }

private:
    friend class stop_scope;
    function on_stop_;
};

/** The reach of a stop: operations and child scopes register here, `request_stop` asks all of them to end.
 *
 *  Scopes nest: stopping a parent stops its children. Operations that start in a stopped scope end at once.
 *
 *  @par Thread safety   None: a scope belongs to one loop. `token()` may be handed to any OS thread.
 *  @par Lifetimes       The parent outlives the scope; whatever registered unlinks itself when it ends.
 */
class stop_scope : private stoppable {
public:
    explicit stop_scope(stop_scope* parent = nullptr) noexcept
        : stoppable{[](stoppable& self) { static_cast<stop_scope&>(self).request_stop(); }}
    {
        if (!parent) return;
        if (parent->is_stopped_)
            is_stopped_ = true;
        else
            parent->add(*this);
    }

    [[nodiscard]] bool stop_requested() const noexcept { return is_stopped_; }

    /** Registers an operation. The scope must not be stopped: an operation looks before it starts. */
    void add(stoppable& operation) noexcept { registered_.push(operation); }

    /** Asks everything registered to end. Resumes nothing by itself; doing it twice is the same as once. */
    void request_stop()
    {
        if (is_stopped_) return;
        is_stopped_ = true;
        while (!registered_.empty()) {
            stoppable& operation = registered_.pop();
            operation.on_stop_(operation);
        }
        source_.request_stop();
    }

    /** A standard token that follows this scope; made on first use. */
    [[nodiscard]] std::stop_token token()
    {
        if (!source_.stop_possible()) {
            source_ = std::stop_source{};
            if (is_stopped_) source_.request_stop();
        }
        return source_.get_token();
    }

private:
    linked_list<stoppable, stop_scope> registered_;
    std::stop_source source_{std::nostopstate};
    bool is_stopped_ = false;
};

}  // namespace weft
