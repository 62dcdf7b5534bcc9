#pragma once

namespace boost::asio {
class io_context;
}

namespace weft {

class serial_loop;

/** For as long as it lives, what the calling OS thread runs is on a loop.
 *
 *  The loop may be gone before it: what runs on a loop may end the loop. A loop says so itself of what is ready, of
 *  timers and of operations that end; of other handlers of Asio nothing is known.
 *
 *  @par Thread safety   Of the OS thread that made it only.
 */
class loop_presence {
public:
    explicit loop_presence(serial_loop& loop) noexcept : loop_{loop}, before_{enter(loop)} {}
    loop_presence(const loop_presence&) = delete;
    loop_presence& operator=(const loop_presence&) = delete;
    ~loop_presence() { leave(loop_, before_); }

    /** The loop on which the calling OS thread runs something, if it is one of `context` that queues functions itself;
     *  else null. A loop on a strand does not, nor does one in a simulation. */
    [[nodiscard, gnu::noinline]] static serial_loop* queue_of(const boost::asio::io_context& context) noexcept;

private:
    friend class serial_loop;
    // Not inlined, as `allocate_block`: a coroutine may go on on another OS thread.
    /** @return  What was present before. */
    [[gnu::noinline]] static serial_loop* enter(serial_loop& loop) noexcept;
    [[gnu::noinline]] static void leave(const serial_loop& loop, serial_loop* before) noexcept;
    /** A loop that ends while it is present is so no longer. */
    static void forget(const serial_loop& loop) noexcept;

    const serial_loop& loop_;
    serial_loop* before_;  // null outside of any
};

}  // namespace weft
