#include <weft/async/scope.hpp>

#include <utility>

namespace weft {

/** A child that waits: its task, in the list of the scope. */
struct scope::child : list_node<scope> {
    child(scope& parent, task<void> work) noexcept : parent{parent}, work{std::move(work)} {}

    static void ended(void* self)
    {
        auto& me = *static_cast<child*>(self);
        scope& parent = me.parent;
        parent.note(me.work.exception());
        delete &me;
        parent.group_.child_ended();
    }

    static void* operator new(std::size_t size) { return allocate_block(size); }
    static void operator delete(void* block, std::size_t size) noexcept { free_block(block, size); }

    scope& parent;
    task<void> work;
};

scope::~scope()
{
    while (!children_.empty()) delete &children_.pop();
}

void scope::spawn(task<void> work)
{
    if (group_.stop_requested()) {
        group_.note_error(nullptr);
        return;
    }
    if (work.start(group_.context())) return note(work.exception());
    auto* waiting = new child{*this, std::move(work)};
    waiting->work.when_done(&child::ended, waiting);
    children_.push(*waiting);
    group_.child_started();
}

void scope::note(const std::exception_ptr& error)
{
    if (!error || !group_.note_error(error)) return;
    if (on_failure_ == failure_policy::stop_siblings) group_.request_stop();
}

}  // namespace weft
