#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/store/record/content_hash.hpp>
#include <weft/store/record/thread_key.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>

namespace weft {

/** Something has happened in a store: a hint to look, never the truth. */
struct store_notice {
    enum class kind : std::uint8_t {
        run,       ///< A run of the thread was entered, is ready, is over, or waits.
        answer,    ///< A question of the thread has its answer.
        signal,    ///< A run of the thread is to pause or to stop.
        events,    ///< The log of a run of the thread has more events. Only for listeners that want them.
        anything,  ///< Notices may have been lost: whatever is waited for may have happened.
    };

    kind what = kind::anything;
    std::uint64_t thread = 0;  ///< `store_news::name_of`; 0: it may be any thread.

    friend bool operator==(const store_notice&, const store_notice&) noexcept = default;
};

/** Tells those who wait what happens in a store, so that they need not ask it again and again.
 *
 *      store_news::subscription heard = news->subscribe([signal](const store_notice&) { signal->notify(); });
 *
 *  A store announces what was written through it; `postgres_store` also what other processes wrote. A notice is a hint:
 *  it may be lost, or come twice. So a listener looks into the store, and looks again after a while without a notice.
 *
 *  Events are many more than all other changes together. So they are a matter of their own: they are told to listeners
 *  that ask for them, and a store that no such listener has does not hear those of other processes.
 *
 *  @par Thread safety   From any OS thread.
 *  @par Lifetimes       It belongs to a store, which outlives its subscriptions.
 */
class store_news {
public:
    /** Called on the OS thread that announces, one at a time, and before the announcing call returns. It is quick, and
     *  calls nothing of `store_news`. */
    using listener = std::function<void(const store_notice&)>;
    class subscription;
    /** What a listener hears. */
    enum class interest : std::uint8_t {
        changes,             ///< All kinds but `events`.
        changes_and_events,
    };

    /** A span of the store's time, or nothing. */
    using due_task = task<std::optional<std::chrono::milliseconds>>;
    /** What a store adds to them. */
    struct links {
        std::function<due_task()> next_due{};       ///< Null: nothing is known.
        listener to_others{};                       ///< Gets what is announced here.
        std::function<void()> on_first_listener{};  ///< Called at most once.
        std::function<void()> on_first_for_events{};  ///< The same, for one that hears events.
    };

    /** @param key  Of the store: without it the names of threads cannot be told from notices. */
    explicit store_news(hash_key key) : store_news{key, links{}} {}
    store_news(hash_key key, links to);
    store_news(const store_news&) = delete;
    store_news& operator=(const store_news&) = delete;

    /** How notices name a thread; never 0. Two threads may have one name. */
    [[nodiscard]] std::uint64_t name_of(const thread_key& thread) const noexcept;
    /** Hears everything from now on, until the subscription ends; when its destructor returns, no call is under way. */
    [[nodiscard]] subscription subscribe(listener to, interest in = interest::changes);
    /** Tells those who listen, here and elsewhere. */
    void announce(const store_notice& notice);
    void announce(store_notice::kind what, const thread_key& thread) { announce({what, name_of(thread)}); }
    /** Tells those who listen here what happened elsewhere. */
    void pass_on(const store_notice& notice);
    /** Whether other processes may write to the store, and read what is written here. */
    [[nodiscard]] bool reaches_others() const noexcept { return links_.to_others != nullptr; }
    /** How long until something becomes due by itself: the moment of a run comes, or a worker shows no sign of life any
     *  more. Nothing if there is neither, as far as the store knows. `reap` and `claim` see to what is due.
     *  @par Errors  Those of the store. */
    [[nodiscard]] due_task next_due() const;
    /** Whether what all processes write is announced here now. False: look as often as without notices. */
    [[nodiscard]] bool is_complete() const noexcept { return is_complete_.load(std::memory_order_relaxed); }
    void set_complete(bool is) noexcept { is_complete_.store(is, std::memory_order_relaxed); }

private:
    struct heard_by {
        listener to;
        interest in;
    };

    const hash_key key_;
    const links links_;
    std::atomic<bool> is_complete_{true};
    std::mutex lock_;
    std::list<heard_by> listeners_;
    bool had_listener_ = false;
    bool had_one_for_events_ = false;
};

/** Ends with its destructor. */
class [[nodiscard]] store_news::subscription {
public:
    subscription() noexcept {}
    subscription(subscription&& from) noexcept;
    subscription& operator=(subscription&& from) noexcept;
    ~subscription() { end(); }

private:
    friend class store_news;
    subscription(store_news& to, std::list<heard_by>::iterator place) noexcept : news_{&to}, place_{place} {}
    void end() noexcept;

    store_news* news_ = nullptr;
    std::list<heard_by>::iterator place_{};
};

}  // namespace weft
