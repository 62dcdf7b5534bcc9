#pragma once

#include <weft/async/loop/loop_presence.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/memory/free_list.hpp>

#include <boost/asio/execution.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace weft {

namespace async_detail {

/** A function in the ready queue of a loop. It deletes itself before it calls the function, as handlers of Asio do; a
 *  loop that ends deletes it uncalled.
 */
template <class Function>
class queued_function final : public ready_item, public loop_guest {
public:
    explicit queued_function(Function function)
        : ready_item{[](ready_item& self) { static_cast<queued_function&>(self).call(); }},
          function_{std::move(function)}
    {
    }
    static void* operator new(std::size_t size) { return allocate_block(size); }
    static void operator delete(void* memory, std::size_t size) noexcept { free_block(memory, size); }

private:
    void call()
    {
        Function function{std::move(function_)};
        delete this;
        std::move(function)();
    }

    Function function_;
};

}  // namespace async_detail

/** A strand that a loop sits on; its `io_context` keeps it. */
struct loop_strand {
    explicit loop_strand(boost::asio::io_context& context) : strand{context.get_executor()} {}
    boost::asio::strand<boost::asio::io_context::executor_type> strand;
};

/** The Asio executor of a serial loop: an `io_context` that one OS thread runs, or a strand of one that several run.
 *
 *      boost::asio::ip::tcp::socket socket{loop.executor()};
 *      boost::asio::post(loop.executor(), [] { ... });       // from any OS thread
 *
 *  What is posted within the loop waits in the loop's own ready queue, between what is there, and costs Asio no handler
 *  and no look at the reactor. Anything else goes through the queue of the `io_context`; no order is promised between
 *  the two.
 *
 *  A concrete type with one branch instead of `any_io_executor`, whose posts cost three times as much. Sockets,
 *  resolvers and timers of a run are constructed with it, and `use_task` binds it to every operation.
 *
 *  @par Thread safety   As a value. Functions given to it never overlap.
 *  @par Lifetimes       Refers to the `io_context`, which also keeps the strand, if any: it may outlive the loop.
 */
class loop_executor {
public:
    /** @param strand   Null if one OS thread runs `context`. */
    explicit loop_executor(boost::asio::io_context& context, const loop_strand* strand = nullptr) noexcept
        : context_{&context}, strand_{strand}
    {
    }

    /** True on an OS thread that runs this executor's functions right now. */
    [[nodiscard]] bool running_in_this_thread() const noexcept
    {
        return strand_ ? strand_->strand.running_in_this_thread() : context_->get_executor().running_in_this_thread();
    }

    /** Runs `function` inside the loop: at once if that is allowed and the caller is there already, else soon. */
    template <class Function>
    void execute(Function&& function) const
    {
        if (strand_)
            run_on(strand_->strand, std::forward<Function>(function));
        else if (serial_loop* const here = never_ ? loop_presence::queue_of(*context_) : nullptr)
            queue_on(*here, std::forward<Function>(function));
        else
            run_on(context_->get_executor(), std::forward<Function>(function));
    }

    // What Asio's executor requirements ask for. The services of the context (timers, sockets) are those of the
    // `io_context`, and of the properties only `blocking` counts: composed operations ask for `never` when they post.
    [[nodiscard]] boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept
    {
        return *context_;
    }
    /** Whether `execute` may call a function inside of itself. */
    [[nodiscard]] boost::asio::execution::blocking_t query(boost::asio::execution::blocking_t) const noexcept
    {
        if (never_) return boost::asio::execution::blocking.never;
        return boost::asio::execution::blocking.possibly;
    }
    /** The same place for functions that are queued in any case. */
    [[nodiscard]] loop_executor require(boost::asio::execution::blocking_t::never_t) const noexcept
    {
        loop_executor other{*this};
        other.never_ = true;
        return other;
    }
    /** The same place for functions that may run at once. */
    [[nodiscard]] loop_executor require(boost::asio::execution::blocking_t::possibly_t) const noexcept
    {
        loop_executor other{*this};
        other.never_ = false;
        return other;
    }

    // Two are equal if a function given to one could as well be given to the other.
    friend bool operator==(const loop_executor& a, const loop_executor& b) noexcept
    {
        return a.context_ == b.context_ && a.strand_ == b.strand_ && a.never_ == b.never_;
    }
    friend bool operator!=(const loop_executor& a, const loop_executor& b) noexcept { return !(a == b); }

private:
    /** Behind what is ready on the loop that the caller is on. */
    template <class Function>
    static void queue_on(serial_loop& loop, Function&& function)
    {
        using queued_function = async_detail::queued_function<std::decay_t<Function>>;
        auto* const queued = new queued_function{std::forward<Function>(function)};
        loop.adopt(*queued);
        loop.defer(*queued);
    }
    // `require` makes another executor: it is cheap, and only posts need it.
    template <class Executor, class Function>
    void run_on(const Executor& executor, Function&& function) const
    {
        if (never_)
            boost::asio::require(executor, boost::asio::execution::blocking.never)
                .execute(std::forward<Function>(function));
        else
            executor.execute(std::forward<Function>(function));
    }

    boost::asio::io_context* context_;
    const loop_strand* strand_;
    // Whether functions are always queued, as `post` and `defer` want it.
    bool never_ = false;
};

inline loop_executor serial_loop::executor() const noexcept { return loop_executor{context_, strand_}; }

}  // namespace weft
