#pragma once

#include <weft/async/task.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>
#include <weft/store/role/store_news.hpp>

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace weft::serve_detail {

/** What the news of a store say of the threads that are followed here, on the way to the loop that follows them. What
 *  other threads do is dropped where it is heard: a fleet has more of it than one loop wants to know.
 *
 *  @par Thread safety   `add` from any OS thread; the rest on one loop. */
class heard_threads {
public:
    struct heard {
        std::uint64_t name = 0;    ///< `store_news::name_of` the thread.
        bool is_change = false;    ///< More than events: its run may have begun, ended or been answered.
        friend bool operator==(const heard&, const heard&) noexcept = default;
    };

    /** From now on notices of the thread are heard; each call has its `unwant`. */
    void want(std::uint64_t name);
    void unwant(std::uint64_t name);
    void add(const store_notice& notice);
    /** Until something is heard. @par Errors  `errc::cancelled`. */
    [[nodiscard]] task<void> wait() { co_await arrived_->wait(); }
    /** What was heard since the last call, each thread once. */
    [[nodiscard]] std::vector<heard> take();

private:
    struct thread {
        std::size_t wanted = 0;
        bool is_heard = false;
        bool is_change = false;
    };
    void note(std::uint64_t name, thread& of, bool is_change);

    std::mutex lock_;
    std::unordered_map<std::uint64_t, thread> threads_;
    std::vector<std::uint64_t> heard_;
    const intrusive_ptr<remote_signal> arrived_ = make_counted<remote_signal>();
};

}  // namespace weft::serve_detail
