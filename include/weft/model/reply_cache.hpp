#pragma once

#include <weft/base/clock.hpp>
#include <weft/base/intrusive_ptr.hpp>
#include <weft/model/chat_reply.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

namespace weft {

class remote_signal;

/** How much a cache keeps, and for how long. */
struct reply_cache_options {
    std::size_t entries_max = 10'000;
    std::size_t bytes_max = 64 * 1024 * 1024;  ///< Of keys and replies, about.
    std::chrono::nanoseconds keep_for = std::chrono::hours{1};
};

/** What a cache has done so far. */
struct reply_cache_counts {
    std::int64_t hits = 0;
    std::int64_t shared = 0;  ///< Answered by an equal call that was under way.
    std::int64_t misses = 0;
    std::int64_t dropped = 0;  ///< Replies that had to go for lack of room.
    std::size_t entries = 0;
    std::size_t bytes = 0;
};

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
    struct flight;
    struct store;
    std::shared_ptr<store> store_;
};

/** One call's dealings with a cache. A leader that is destroyed without a word leaves the lead to one who waits. */
class reply_cache::lookup {
public:
    enum class state {
        found,    ///< `reply` is the answer.
        failed,   ///< The call that was waited for failed with `error`.
        leads,    ///< This one makes the call, then `succeed` or `fail`.
        waits,    ///< An equal call is under way: wait for `news`, then `look`.
    };

    lookup(lookup&& other) noexcept;
    lookup& operator=(lookup&&) = delete;
    ~lookup();

    [[nodiscard]] state now_is() const noexcept { return state_; }
    [[nodiscard]] const std::shared_ptr<const chat_reply>& reply() const noexcept { return reply_; }
    [[nodiscard]] const std::exception_ptr& error() const noexcept { return error_; }

    /** Looks again after a wait. */
    void look(time_point now);
    /** The call of the leader ended; who waits gets the same. The reply is kept if it may be. */
    void succeed(const chat_reply& answer, time_point now);
    void fail(const std::exception_ptr& cause);

private:
    friend class reply_cache;
    lookup(std::shared_ptr<store> owner, std::string key, intrusive_ptr<remote_signal> news);

    std::shared_ptr<store> store_;
    std::string key_;
    intrusive_ptr<remote_signal> news_;
    std::shared_ptr<flight> flight_;
    state state_ = state::waits;
    std::shared_ptr<const chat_reply> reply_;
    std::exception_ptr error_;
};

}  // namespace weft
