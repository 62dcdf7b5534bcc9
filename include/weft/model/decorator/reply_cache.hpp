#pragma once

#include <weft/async/group/single_flight_cache.hpp>
#include <weft/base/chrono.hpp>
#include <weft/model/chat_reply.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <string>

namespace weft {

/** How much a cache keeps, and for how long. */
struct reply_cache_options {
    std::size_t entries_max = 10'000;
    std::size_t bytes_max = 64 * 1024 * 1024;  ///< Of keys and replies, about.
    std::chrono::nanoseconds keep_for = std::chrono::hours{1};
};

/** What a cache has done so far. */
using reply_cache_counts = single_flight_counts;

/** Replies by what was asked, the least recently used one dropped first. Copies share one store.
 *
 *  Equal calls that come while one is under way wait for it and share what becomes of it.
 *
 *  @par Thread safety   From any OS thread, all on one clock.
 */
class reply_cache {
public:
    class lookup;

    explicit reply_cache(reply_cache_options options = {});

    /** Looks for a reply; without one, takes the lead of the calls for it or joins those who wait.
     *  @param news   Notified when the wait of a joined lookup is over; then look again with `lookup::look`. */
    [[nodiscard]] lookup look_up(std::string key, intrusive_ptr<remote_signal> news, time_point now) const;

    [[nodiscard]] reply_cache_counts counts() const;

    /** Whether a reply may be kept: it is whole, not cut and not withheld. */
    [[nodiscard]] static bool is_kept(const chat_reply& reply) noexcept;

private:
    using replies = single_flight_cache<chat_reply>;

    replies replies_;
    std::chrono::nanoseconds keep_for_;
};

/** One call's dealings with a cache. A leader that is destroyed without a word leaves the lead to one who waits. */
class reply_cache::lookup {
public:
    using state = replies::lookup::state;

    [[nodiscard]] state now_is() const noexcept { return place_.now_is(); }
    [[nodiscard]] const std::shared_ptr<const chat_reply>& reply() const noexcept { return place_.value(); }
    [[nodiscard]] const std::exception_ptr& error() const noexcept { return place_.error(); }

    /** Looks again after a wait. */
    void look(time_point now);
    /** The call of the leader ended; who waits gets the same. The reply is kept if it may be. */
    void succeed(const chat_reply& answer, time_point now);
    void fail(const std::exception_ptr& cause);

private:
    friend class reply_cache;
    lookup(replies::lookup place, std::size_t key_bytes, std::chrono::nanoseconds keep_for) noexcept;

    replies::lookup place_;
    std::size_t key_bytes_;
    std::chrono::nanoseconds keep_for_;
};

}  // namespace weft
