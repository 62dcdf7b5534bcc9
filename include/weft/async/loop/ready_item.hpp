#pragma once

#include <weft/async/loop/linked_list.hpp>

namespace weft {

class ready_queue;

/** Something that a serial loop runs soon: an intrusive node of its ready queue.
 *
 *  The owner embeds it, queues it with `serial_loop::defer`, and may take it back with `unlink` at any time before it
 *  runs. It is in at most one queue.
 *
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       The destructor unlinks it, so that an owner may die while it is queued.
 */
class ready_item : public list_node<ready_queue> {
public:
    using function = void (*)(ready_item&);

    explicit ready_item(function run) noexcept : run_{run} {}

    /** Whether it is still to run. False while it runs. */
    [[nodiscard]] bool is_queued() const noexcept { return list_node<ready_queue>::is_linked(); }
    /** Takes it back; nothing happens to one that is not queued. */
    void unlink() noexcept { list_node<ready_queue>::unlink(); }

private:
    friend class ready_queue;
    function run_;
};

/** A first-in, first-out queue of ready items. */
class ready_queue : public linked_list<ready_item, ready_queue> {
public:
    /** An item that was taken out; it may destroy itself. */
    static void run(ready_item& item) { item.run_(item); }
};

}  // namespace weft
