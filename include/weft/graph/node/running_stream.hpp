#pragma once

#include <weft/async/async_generator.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/stream.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/node/stream_key.hpp>
#include <weft/graph/state/value.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace weft {

/** How many items the readers of one stream may be apart: the first of them waits for the last. */
inline constexpr std::size_t stream_copies_apart_max = 64;

/** A stream that a run has under way, whatever its items are. The run keeps it until its readers have ended.
 *
 *  @par Thread safety   None: it belongs to the run's loop. */
class running_stream {
public:
    virtual ~running_stream() = default;
    running_stream(const running_stream&) = delete;
    running_stream& operator=(const running_stream&) = delete;

    /** Has it keep all items that come from now on. */
    virtual void record() = 0;
    /** All items that were kept, as a value of `stream_key::whole`. Null without `record`. */
    [[nodiscard]] virtual value_ptr take_whole() = 0;
    /** Reads what is left. @par Errors  Those of the writer. */
    [[nodiscard]] virtual task<void> drain() = 0;
    /** Streams for `count` readers, which each get every item; a task of `tasks` reads this one for them. */
    [[nodiscard]] virtual std::vector<std::unique_ptr<running_stream>> copies(std::size_t count, scope& tasks) = 0;

    [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }
    /** What its writer threw. */
    [[nodiscard]] const std::exception_ptr& error() const noexcept { return error_; }

protected:
    running_stream() = default;

    bool has_ended_ = false;
    std::exception_ptr error_;
};

namespace graph_detail {

/** Reads a stream for several readers, and waits for the last of them. One that leaves closes its queue. */
template <class T>
task<void> copy_items(async_generator<T>& from, std::vector<std::shared_ptr<stream<T>>> to);

/** What one of them gets. */
template <class T>
async_generator<T> items_in(std::shared_ptr<stream<T>> queue);

}  // namespace graph_detail

/** A stream of items of a type. */
template <class T>
class typed_stream final : public running_stream, private generator_watcher<T> {
    using whole = stream_whole<T>;

public:
    explicit typed_stream(async_generator<T> items) : items_{std::move(items)} { items_.watch(this); }

    /** The stream for its one reader. */
    [[nodiscard]] async_generator<T> lend() const noexcept { return items_.lend(); }

    void record() override { whole_.emplace(); }
    value_ptr take_whole() override
    {
        if (!whole_) return nullptr;
        return value_ptr{make_box<typename whole::type>(*std::exchange(whole_, std::nullopt))};
    }
    task<void> drain() override { return drain_all(items_); }
    std::vector<std::unique_ptr<running_stream>> copies(std::size_t count, scope& tasks) override
    {
        std::vector<std::shared_ptr<stream<T>>> queues;
        std::vector<std::unique_ptr<running_stream>> readers;
        for (std::size_t i = 0; i < count; ++i) {
            queues.push_back(std::make_shared<stream<T>>(stream_copies_apart_max));
            readers.push_back(std::make_unique<typed_stream>(graph_detail::items_in<T>(queues.back())));
        }
        tasks.spawn(graph_detail::copy_items<T>(items_, std::move(queues)));
        return readers;
    }

    /** What was recorded, as a stream. */
    [[nodiscard]] static std::unique_ptr<running_stream> of_whole(const typename whole::type& all)
    {
        return std::make_unique<typed_stream>(items_of(all));
    }

private:
    void on_item(T& item) override
    {
        if (whole_) whole::add(*whole_, item);
    }
    void on_end(const std::exception_ptr& error) noexcept override
    {
        has_ended_ = true;
        error_ = error;
    }

    static task<void> drain_all(async_generator<T>& items)
    {
        while (co_await items.next()) {}
    }
    static async_generator<T> items_of(typename whole::type all)
    {
        if constexpr (std::is_same_v<typename whole::type, T>) {
            if (!all.empty()) co_yield all;
        } else {
            for (const T& each : all) {
                T item = each;
                co_yield item;
            }
        }
    }

    async_generator<T> items_;
    std::optional<typename whole::type> whole_;
};

namespace graph_detail {

template <class T>
task<void> copy_items(async_generator<T>& from, std::vector<std::shared_ptr<stream<T>>> to)
{
    std::exception_ptr failed;
    for (bool has_reader = true; has_reader;) {
        T* item = nullptr;
        try {
            item = co_await from.next();
        } catch (...) {
            failed = std::current_exception();
        }
        if (!item) break;
        has_reader = false;
        for (const std::shared_ptr<stream<T>>& reader : to) {
            if (reader->is_closed()) continue;
            T copy = *item;
            try {
                co_await reader->push(std::move(copy));
                has_reader = true;
            } catch (const error& why) {
                if (why.code() != errc::stream_closed) throw;
            }
        }
    }
    for (const std::shared_ptr<stream<T>>& reader : to) reader->close(failed);
}

template <class T>
async_generator<T> items_in(std::shared_ptr<stream<T>> queue)
{
    const std::unique_ptr<stream<T>, void (*)(stream<T>*)> leaving{queue.get(), [](stream<T>* left) { left->close(); }};
    for (;;) {
        std::optional<T> item = co_await queue->pop();
        if (!item) break;
        co_yield *item;
    }
}

}  // namespace graph_detail

}  // namespace weft
