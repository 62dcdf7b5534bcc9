#pragma once

#include <weft/async/task.hpp>

#include <boost/assert.hpp>

#include <coroutine>
#include <exception>
#include <type_traits>
#include <utility>

namespace weft {

template <class T>
class async_generator;

/** Sees each item of a generator on its way to the reader, and its end. */
template <class T>
class generator_watcher {
public:
    /** The reader gets the item next. What this throws is thrown at the `co_yield`. */
    virtual void on_item(T& item) = 0;
    /** The coroutine has ended; `error` is null unless it threw. Not called if it is destroyed half-way. */
    virtual void on_end(const std::exception_ptr& error) noexcept = 0;

protected:
    ~generator_watcher() = default;
};

/** What the coroutine of a generator has: the item that it shows to the reader, and who watches. */
template <class T>
class async_generator_promise final : public task_promise_base {
public:
    // For `next`: each item has a waiting task of its own, where a task has one in all.
    async_generator<T> get_return_object() noexcept;

    /** Gives control back to the reader; the item stays in the frame until the reader asks for the next one. */
    final_awaiter yield_value(T& item)
    {
        show(item);
        return {};
    }
    final_awaiter yield_value(T&& item)
    {
        show(item);
        return {};
    }
    void return_void() const noexcept {}
    final_awaiter final_suspend() noexcept
    {
        item_ = nullptr;
        if (watcher_) watcher_->on_end(exception_);
        return {};
    }

    using task_promise_base::resume_in;
    using task_promise_base::when_done;
    /** What it came to: an item, null for the end, or an exception, once. */
    T* shown()
    {
        if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
        return item_;
    }

private:
    friend class async_generator<T>;

    // The watcher first: a reader may move from the item.
    void show(T& item)
    {
        if (watcher_) watcher_->on_item(item);
        item_ = &item;
    }

    T* item_ = nullptr;
    generator_watcher<T>* watcher_ = nullptr;
};

/** A sequence that a coroutine makes while another one reads it: pulled, item by item.
 *
 *      weft::async_generator<std::string> lines_of(weft::connection source)
 *      {
 *          while (std::optional<std::string> line = co_await source.read_line()) co_yield *line;
 *      }
 *
 *      weft::async_generator<std::string> lines = lines_of(std::move(source));
 *      for (;;) {
 *          std::string* const line = co_await lines.next();
 *          if (!line) break;
 *          print(*line);
 *      }
 *
 *  The coroutine runs only while its reader waits for the next item, on the reader's loop and under the reader's stop
 *  scope. There is no queue and no task between the two: an item costs two resumptions, some 10 ns, and a slow reader
 *  slows the writer. A generator may read another one, to any length; `weft::stream` is the bounded queue for two
 *  tasks that run side by side.
 *
 *  @par Errors          What the coroutine throws is thrown by the `next` that waits for it, once; then null.
 *  @par Cancellation    A stop of the reader's scope ends what the coroutine waits for with `errc::cancelled`.
 *                       Destroying the generator destroys the coroutine at its `co_yield`.
 *  @par Thread safety   None: reader and coroutine share one loop.
 *  @par Lifetimes       Parameters of the coroutine should be values, as those of a `task`.
 */
template <class T>
class [[nodiscard]] async_generator {
public:
    using promise_type = async_generator_promise<T>;
    using value_type = T;

    /** An empty sequence. */
    async_generator() noexcept = default;
    explicit async_generator(std::coroutine_handle<promise_type> frame) noexcept : frame_{frame}, is_owner_{true} {}
    async_generator(async_generator&& other) noexcept
        : frame_{std::exchange(other.frame_, nullptr)}, is_owner_{std::exchange(other.is_owner_, false)}
    {
    }
    async_generator& operator=(async_generator&& other) noexcept
    {
        if (this != &other) {
            reset();
            frame_ = std::exchange(other.frame_, nullptr);
            is_owner_ = std::exchange(other.is_owner_, false);
        }
        return *this;
    }
    ~async_generator() { reset(); }

    /** Whether there is nothing more to read: it has ended, has failed, or was empty from the start. */
    [[nodiscard]] bool has_ended() const noexcept { return !frame_ || frame_.done(); }

    /** The same sequence for another reader that takes its place; the coroutine stays with this object, which outlives
     *  the reader. */
    [[nodiscard]] async_generator lend() const noexcept
    {
        async_generator lent;
        lent.frame_ = frame_;
        return lent;
    }

    /** Has `watcher` see what follows; null: nothing does. The watcher outlives the coroutine. */
    void watch(generator_watcher<T>* watcher) noexcept
    {
        if (frame_) frame_.promise().watcher_ = watcher;
    }

    class next_awaiter {
    public:
        explicit next_awaiter(std::coroutine_handle<promise_type> frame) noexcept : frame_{frame} {}
        bool await_ready() const noexcept { return !frame_ || frame_.done(); }
        template <task_promise_type Promise>
        bool await_suspend(std::coroutine_handle<Promise> reader)
        {
            constexpr auto resume = [](void* frame) { std::coroutine_handle<>::from_address(frame).resume(); };
            promise_type& promise = frame_.promise();
            promise.when_done(resume, reader.address());
            return !promise.resume_in(reader.promise().context(), frame_);
        }
        T* await_resume()
        {
            if (!frame_) return nullptr;
            return frame_.promise().shown();
        }

    private:
        std::coroutine_handle<promise_type> frame_;
    };

    /** `co_await lines.next()`: the next item, or null at the end.
     *
     *  The item belongs to the coroutine and lasts until the reader asks for the next one; it may be moved from.
     *  @par Errors  What the coroutine throws. */
    [[nodiscard]] next_awaiter next() const noexcept { return next_awaiter{frame_}; }

private:
    void reset() noexcept
    {
        const std::coroutine_handle<promise_type> frame = std::exchange(frame_, nullptr);
        if (frame && is_owner_) frame.destroy();
        is_owner_ = false;
    }

    std::coroutine_handle<promise_type> frame_;
    bool is_owner_ = false;
};

template <class T>
async_generator<T> async_generator_promise<T>::get_return_object() noexcept
{
    return async_generator<T>{std::coroutine_handle<async_generator_promise>::from_promise(*this)};
}

}  // namespace weft
