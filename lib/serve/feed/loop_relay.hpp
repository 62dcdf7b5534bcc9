#pragma once

#include "run_feed.hpp"

#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/loop/ready_item.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/signal.hpp>
#include <weft/async/task.hpp>
#include <weft/store/record/thread_key.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weft::serve_detail {

/** Something that happened in a thread on another loop. */
struct relayed_entry {
    run_id run;
    /** Its forms belong to the other loop: only `what` is for this one. */
    std::shared_ptr<const feed_event> event = {};
    /** How the run ended. Null, with `event`: it begins, or goes on after an answer. */
    std::shared_ptr<const run_ending> ending = {};
    bool is_driven = false;      ///< The other loop will tell the end of the run.
    bool is_logged = false;      ///< The event comes from the log of the store: another process has the run.
    std::uint64_t sequence = 0;  ///< In the tape that it comes from; 0: of no tape.
};

using relayed_entries = std::vector<relayed_entry>;

/** What a loop says to the others, and hears from them. */
class relay_listener {
public:
    virtual ~relay_listener() = default;

    /** What this loop has of a thread: the entries of its tape, and the events of a run that it drives. */
    [[nodiscard]] virtual relayed_entries recall(const thread_key& thread) = 0;
    /** Something happened on another loop. */
    virtual void take(const thread_key& thread, const relayed_entries& news) = 0;
    /** No client of this loop watches the thread any more: what follows is not heard. */
    virtual void lose_sight(const thread_key& thread) = 0;
};

/** Lets clients of one loop watch runs of another: a member for each loop of a server.
 *
 *      const std::shared_ptr<void> watch = co_await relay.follow(thread, begin);  // until it is let go
 *
 *  A loop that follows a thread first gets what the others know of it, and then what happens there, in batches: what
 *  comes within one turn of a loop is one message. A thread that no other loop follows costs one look into a table.
 *
 *  @par Thread safety   None: a member belongs to its loop, and sends messages to the others.
 *  @par Lifetimes       The loops outlive the messages: after the last `detach`, each loop runs once more.
 */
class loop_relay : public std::enable_shared_from_this<loop_relay> {
public:
    /** Called once, with what the others know in one line, before anything further is taken. */
    using begin_function = std::function<void(const relayed_entries& known)>;

    /** A member for each of the loops, in their order. */
    [[nodiscard]] static std::vector<std::shared_ptr<loop_relay>> among(const std::vector<serial_loop*>& loops);

    loop_relay(serial_loop& loop, std::size_t index) noexcept : loop_{loop}, index_{index} {}
    loop_relay(const loop_relay&) = delete;
    loop_relay& operator=(const loop_relay&) = delete;

    /** @par Lifetimes   The listener outlives `detach`. */
    void attach(relay_listener& listener) noexcept { listener_ = &listener; }
    /** The others get no further answer from here. */
    void detach() noexcept;

    /** Tells the loops that follow the thread. */
    void tell(const thread_key& thread, relayed_entry news);

    /** Follows a thread until the result is let go of. A loop that does not answer is not waited for longer than
     *  `answer_limit`; what it knows comes later, then.
     *  @par Errors   `errc::cancelled`. */
    [[nodiscard]] task<std::shared_ptr<void>> follow(thread_key thread, begin_function begin);

    static constexpr std::chrono::seconds answer_limit{1};

private:
    using message_function = std::function<void(loop_relay& at)>;
    using named_entry = std::pair<std::shared_ptr<const thread_key>, relayed_entry>;

    /** A question to all other loops, while answers are missing. */
    struct inquiry {
        inquiry(serial_loop& loop, thread_key thread)
            : thread{std::move(thread)},
              timer{loop, [](void* self) { static_cast<inquiry*>(self)->answered.notify(); }, this}
        {
        }
        const thread_key thread;
        std::uint64_t number = 0;
        std::size_t missing = 0;
        std::vector<relayed_entries> known;  // of each that has answered
        relayed_entries news;                // what has happened since
        signal answered;
        loop_timer timer;
    };

    /** What other loops want to hear of a thread. */
    struct followed_thread {
        std::shared_ptr<const thread_key> key;
        std::vector<std::size_t> followers;
    };

    struct flush_item final : ready_item {
        explicit flush_item(loop_relay& of) noexcept;
        loop_relay& of;
    };

    void send(std::size_t to, message_function what);
    void flush();
    void ask(inquiry& open);
    void answer(std::size_t to, const thread_key& thread, std::uint64_t question);
    void receive_answer(std::uint64_t question, const thread_key& thread, relayed_entries known);
    void receive_news(const std::vector<named_entry>& batch);
    [[nodiscard]] std::shared_ptr<void> hold(const thread_key& thread);
    void let_go(const thread_key& thread);
    void forget_follower(std::size_t follower, const thread_key& thread);

    serial_loop& loop_;
    const std::size_t index_;
    std::vector<std::weak_ptr<loop_relay>> members_;
    relay_listener* listener_ = nullptr;
    std::unordered_map<thread_key, followed_thread> followed_;  // by others
    std::unordered_map<thread_key, std::size_t> held_;          // by clients of this loop
    std::list<inquiry*> open_;                                  // each lies in its coroutine
    std::uint64_t questions_ = 0;
    std::vector<std::vector<named_entry>> unsent_;              // for each member
    flush_item flush_{*this};
};

/** What the loops know of a thread in one line: the longest of the tapes, and behind it what it lacks. */
[[nodiscard]] relayed_entries merged(std::vector<relayed_entries> known);

}  // namespace weft::serve_detail
