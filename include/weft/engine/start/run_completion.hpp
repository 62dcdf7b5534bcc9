#pragma once

#include <weft/base/memory/free_list.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>
#include <weft/engine/run/run_waiter.hpp>
#include <weft/engine/run_result.hpp>

#include <boost/asio/cancellation_signal.hpp>

#include <atomic>
#include <cstddef>
#include <memory>

namespace weft {

class serial_loop;

/** The completion handler of `engine::async_run` without its type.
 *
 *  (`any_completion_handler` of Boost 1.81 recurses without end when it is moved into another one.)
 */
class run_completion : private run_waiter {
public:
    run_completion() noexcept;
    virtual ~run_completion();
    static void* operator new(std::size_t size) { return allocate_block(size); }
    static void operator delete(void* memory, std::size_t size) noexcept { free_block(memory, size); }

    /** Calls the handler on its own executor; if it has none on the loop of the run. */
    virtual void deliver(run_result&& result, const serial_loop& loop) = 0;
    [[nodiscard]] virtual boost::asio::cancellation_slot slot() const noexcept = 0;

    /** Begins a run; `done` gets its result, on the run's loop. */
    static void start(intrusive_ptr<run> what, std::unique_ptr<run_completion> done);

private:
    void run_ended(run& ended) override;
    bool is_stop_due() const noexcept override { return is_cancel_asked_.load(std::memory_order_relaxed); }

    std::atomic<bool> is_cancel_asked_{false};
};

/** A handler with its type. Defined by <weft/asio.hpp>: include it where a completion token is used. */
template <class Handler>
class typed_run_completion;

}  // namespace weft
