#pragma once

#include "run_feed.hpp"

#include <weft/store/record/thread_key.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <utility>

namespace weft::serve_detail {

/** Something that happened in a thread: an event of one of its runs, or the end of one, as its store knows it. */
struct tape_entry {
    std::uint64_t sequence = 0;                       ///< Of the tape, without holes.
    std::shared_ptr<const feed_event> event;          ///< Null at the end of a run.
    run_id run;
    std::shared_ptr<const run_ending> ending;         ///< Null but at the end of a run.
    std::uint64_t ends_after = 0;                     ///< Of an ending: the id of the last event before it; 0: none.
};

class tape_reader;

/** What happened in a thread, run after run, for clients that watch the thread and not one run. It stays open between
 *  runs.
 *
 *  @par Thread safety   None: it belongs to one loop. */
class thread_tape {
public:
    /** @param first   The number before that of the first entry. */
    thread_tape(serial_loop& loop, std::size_t entries_max, std::uint64_t first = 0) noexcept
        : loop_{loop}, entries_max_{entries_max}, made_at_{loop.now()}, last_{first}
    {
    }
    ~thread_tape();
    thread_tape(const thread_tape&) = delete;
    thread_tape& operator=(const thread_tape&) = delete;

    void push(run_id run, std::shared_ptr<const feed_event> event);
    void push_end(run_id run, std::shared_ptr<const run_ending> ending);
    /** No event follows: readers come to the end. */
    void close();
    /** Numbers go on behind this one: the tape is the copy of another loop's. Of an empty tape. */
    void number_after(std::uint64_t last) noexcept { last_ = last; }
    /** Holds what the tape needs, as long as it is there. */
    void keep(std::shared_ptr<void> what) noexcept { kept_ = std::move(what); }
    /** Called when a reader comes and there was none; what it gives is held until there is none again. */
    void when_read(std::function<std::shared_ptr<void>()> begin) { begin_ = std::move(begin); }

    /** The first entry behind the one of this number; null: there is none yet. */
    [[nodiscard]] const tape_entry* after(std::uint64_t sequence) const noexcept;
    [[nodiscard]] std::uint64_t last() const noexcept { return last_; }
    [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }
    [[nodiscard]] serial_loop& loop() const noexcept { return loop_; }
    [[nodiscard]] bool is_read() const noexcept { return readers_ > 0; }
    [[nodiscard]] time_point made_at() const noexcept { return made_at_; }
    /** Whether it has an event of the run. */
    [[nodiscard]] bool has(run_id run) const noexcept;

private:
    friend class tape_reader;
    void add(tape_entry entry);
    void count_reader();
    void miss_reader();

    serial_loop& loop_;
    std::size_t entries_max_;
    time_point made_at_;
    std::deque<tape_entry> entries_;
    std::uint64_t last_;
    std::size_t readers_ = 0;
    bool is_closed_ = false;
    std::shared_ptr<void> kept_;
    std::function<std::shared_ptr<void>()> begin_;
    std::shared_ptr<void> while_read_;
    linked_list<tape_reader, thread_tape> waiting_;
};

/** Reads a tape from an entry on; as `feed_reader`. A number that the tape has not come to is of another process: what
 *  there is, is read from the start. */
class tape_reader : public list_node<thread_tape> {
public:
    tape_reader(std::shared_ptr<thread_tape> tape, std::uint64_t after);
    ~tape_reader();
    tape_reader(const tape_reader&) = delete;
    tape_reader& operator=(const tape_reader&) = delete;

    /** The next entry; null if there is none yet. Valid until the next wait. Records of calls are passed over. */
    [[nodiscard]] const tape_entry* next();
    [[nodiscard]] bool is_at_end() const noexcept { return tape_->is_closed() && !tape_->after(seen_); }
    /** The number of the entry that was read last. */
    [[nodiscard]] std::uint64_t seen() const noexcept { return seen_; }
    /** Waits for an entry, at most for `limit`. */
    [[nodiscard]] task<void> wait(std::chrono::nanoseconds limit);

private:
    friend class thread_tape;

    std::shared_ptr<thread_tape> tape_;
    std::uint64_t seen_;
    signal more_;
    loop_timer timer_;
};

/** The entry behind which a client reads that has got a part of `entry`, or all of it. A number that the tape has not
 *  come to is of another process: then 0. */
[[nodiscard]] inline std::uint64_t before_entry(const thread_tape& tape, std::uint64_t entry) noexcept
{
    return entry == 0 || entry > tape.last() ? 0 : entry - 1;
}

/** The tapes of a loop's threads. One is made when a client watches the thread; of those without a reader the ones that
 *  were used longest ago go when there are too many.
 *
 *  @par Thread safety   None: it belongs to its loop. */
class tape_table {
public:
    /** Behind which number the entries of a new tape are numbered: one that grows from tape to tape, and from life to
     *  life of a server, keeps a client that comes back from passing over entries of another tape of its thread. */
    using first_function = std::function<std::uint64_t()>;

    tape_table(serial_loop& loop, std::size_t tapes_max, std::size_t entries_max, first_function first = {}) noexcept
        : loop_{loop}, tapes_max_{tapes_max}, entries_max_{entries_max}, first_{std::move(first)}
    {
    }

    /** The tape of a thread, made if it is not there. */
    [[nodiscard]] std::shared_ptr<thread_tape> of(const thread_key& thread);
    /** Null if there is none: no client watches the thread. */
    [[nodiscard]] thread_tape* find(const thread_key& thread) const;
    /** Lets go of a tape that will have holes; what still reads it keeps it. */
    void forget(const thread_key& thread);
    void close_all();
    [[nodiscard]] std::size_t size() const noexcept { return tapes_.size(); }

private:
    void forget_oldest();

    serial_loop& loop_;
    std::size_t tapes_max_;
    std::size_t entries_max_;
    first_function first_;
    std::map<thread_key, std::shared_ptr<thread_tape>> tapes_;
    std::list<thread_key> used_;  // longest ago first
};

}  // namespace weft::serve_detail
