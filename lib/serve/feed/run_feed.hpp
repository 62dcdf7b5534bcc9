#pragma once

#include "stored_names.hpp"

#include <weft/async/loop/linked_list.hpp>
#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/signal.hpp>
#include <weft/async/task.hpp>
#include <weft/base/budget_ledger.hpp>
#include <weft/chat/usage.hpp>
#include <weft/engine/run_event.hpp>
#include <weft/engine/scheduler/open_question.hpp>
#include <weft/graph/state/state.hpp>
#include <weft/store/record/run_record.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::serve_detail {

/** An event of a run, and what protocols have made of it: each form is made once, however many clients get it. */
class feed_event {
public:
    explicit feed_event(run_event what) : what{std::move(what)} {}

    /** The form of a slot; `make` is called for the first one that asks. Null if it gives an empty text. */
    template <class Make>
    [[nodiscard]] std::shared_ptr<const std::string> form(std::size_t slot, const Make& make) const
    {
        if (!has_form(slot)) set_form(slot, make(*this));
        return find(slot)->text;
    }
    [[nodiscard]] bool has_form(std::size_t slot) const noexcept { return find(slot) != nullptr; }
    /** A form that was made elsewhere, as one that takes long; the slot has none yet. */
    void set_form(std::size_t slot, std::string text) const
    {
        std::shared_ptr<const std::string> made;
        if (!text.empty()) made = std::make_shared<const std::string>(std::move(text));
        forms_ = std::make_unique<made_form>(made_form{slot, std::move(made), std::move(forms_)});
    }
    /** Whether it is a record of a call of a model, which only the studio shows: it has prompts, and what clients of
     *  the graph are not to see. */
    [[nodiscard]] bool is_record() const noexcept;
    /** What asks for a form later has it made anew. */
    void forget_forms() const noexcept { forms_.reset(); }

    const run_event what;

private:
    // Most events have one or two, and a run that goes on for long has many events.
    struct made_form {
        std::size_t slot;
        std::shared_ptr<const std::string> text;
        std::unique_ptr<made_form> next;
    };
    [[nodiscard]] const made_form* find(std::size_t slot) const noexcept
    {
        const made_form* found = forms_.get();
        while (found && found->slot != slot) found = found->next.get();
        return found;
    }

    mutable std::unique_ptr<made_form> forms_;
};

/** How a run that a feed tells of came to its end. */
struct run_ending {
    run_ending() {}

    run_phase phase = run_phase::finished;  ///< `finished`, `failed`, `cancelled` or `waiting`.
    std::string error = {};                 ///< The name of a failure; empty: none.
    std::string message = {};               ///< Of a failure, for people.
    std::optional<weft::state> values = {}; ///< What the run left; nothing if it had not begun.
    std::vector<open_question> questions = {};
    std::optional<spending> spent = {};     ///< Nothing if nothing was counted, or it ended elsewhere.
    bool is_given_back = false;             ///< By a drain: no end, the run goes on in another life of the server.
};

class feed_reader;
struct log_reading;

/** The last events of a run, for any number of readers on its loop. A run does not know its readers: what is slow, late
 *  or gone never holds it up.
 *
 *  What all readers have read is kept for those that come later, without the forms that were made of it: of a run that
 *  streams, they are the larger part. A feed that is read once (`set_read_once`) keeps nothing of it.
 *
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       The names outlive it and its events; without them the graph of the run does.
 */
class run_feed {
public:
    run_feed(serial_loop& loop, run_id run, std::size_t events_max, stored_names* names = nullptr)
        : loop_{loop}, run_{run}, events_max_{events_max}, names_{names}
    {
    }
    ~run_feed();
    run_feed(const run_feed&) = delete;
    run_feed& operator=(const run_feed&) = delete;

    /** @return  The event, for other readers. */
    std::shared_ptr<const feed_event> push(const run_event& event);
    /** The run is over, or waits, and its store knows: readers come to the end. */
    void close(run_ending how);
    /** The run goes on: after an answer, or in another life of its process. */
    void reopen() noexcept
    {
        ending_.reset();
        has_rested_ = false;
    }

    [[nodiscard]] serial_loop& loop() const noexcept { return loop_; }
    [[nodiscard]] run_id run() const noexcept { return run_; }
    [[nodiscard]] bool is_closed() const noexcept { return ending_.has_value(); }
    [[nodiscard]] const std::optional<run_ending>& ending() const noexcept { return ending_; }
    /** The first event behind the one of this id; null: the reader has them all. */
    [[nodiscard]] const std::shared_ptr<const feed_event>* after(std::uint64_t id) const noexcept;
    /** The id of the newest event; 0: none. */
    [[nodiscard]] std::uint64_t last_id() const noexcept { return events_.empty() ? 0 : events_.back()->what.id; }
    /** True if this process began the run, or went on with it, wherever it is executed, and will close the feed. */
    [[nodiscard]] bool is_driven() const noexcept { return is_driven_; }
    void set_driven(bool is = true) noexcept { is_driven_ = is; }
    /** True while an engine of this process has the run and tells its events: the log of the store has none that the
     *  feed has not. */
    [[nodiscard]] bool is_live() const noexcept { return is_live_; }
    void set_live(bool is) noexcept { is_live_ = is; }
    /** True if the newest event says that the run is over, or waits. */
    [[nodiscard]] bool has_rested() const noexcept { return has_rested_; }
    /** How far the feed has the log of the run; null: it is not read. */
    [[nodiscard]] const std::shared_ptr<log_reading>& logged() const noexcept { return logged_; }
    void set_logged(std::shared_ptr<log_reading> reading) noexcept { logged_ = std::move(reading); }
    /** Events before the one that is pushed next are gone. */
    void note_gap() noexcept { has_gap_ = true; }
    /** Nothing joins the run later: what its readers have read is gone. */
    void set_read_once() noexcept { is_read_once_ = true; }
    /** How many events are kept. */
    [[nodiscard]] std::size_t size() const noexcept { return events_.size(); }
    /** True if the feed has, or had, the run from its first event on. */
    [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }
    void set_whole() noexcept { is_whole_ = true; }
    /** What models used, as the events of the run tell; nothing: not all of them came by here. */
    [[nodiscard]] std::optional<usage> used() const noexcept
    {
        return is_whole_ && !has_missed_ ? std::optional{used_} : std::nullopt;
    }
    /** What happened elsewhere, before the first event that is here, and behind the last one: another process may have
     *  gone on with a run that this one had for a time. Events that are here already are left out.
     *  @param is_cut   Events before the first of them are gone from the store. */
    void put_around(std::deque<std::shared_ptr<const feed_event>> stored, bool is_cut = false);
    /** Whether events behind the one of this id are gone. */
    [[nodiscard]] bool has_lost(std::uint64_t id) const noexcept { return id < lost_until_; }
    /** Whether the run never had the event of this id, as far as is known: a process that was killed told it, and it
     *  came into no log. Of a whole feed. */
    [[nodiscard]] bool lacks(std::uint64_t id) const noexcept;

private:
    friend class feed_reader;
    void note_rest(const run_event& newest) noexcept;
    void note_usage(const run_event& of) noexcept;
    void wake_readers();
    void let_go_of_read();
    [[nodiscard]] std::uint64_t read_by_all() const noexcept;

    serial_loop& loop_;
    run_id run_;
    std::size_t events_max_;
    stored_names* names_;
    std::deque<std::shared_ptr<const feed_event>> events_;
    std::uint64_t lost_until_ = 0;
    usage used_;
    std::optional<run_ending> ending_;
    std::shared_ptr<log_reading> logged_;
    bool is_driven_ = false;
    bool is_live_ = false;
    bool has_rested_ = false;
    bool has_gap_ = false;
    bool has_missed_ = false;
    bool is_whole_ = false;
    bool is_read_once_ = false;
    bool was_read_ = false;
    std::uint64_t let_go_until_ = 0;  // the id of an event
    std::size_t pushed_ = 0;          // since the readers were looked at
    std::vector<const feed_reader*> audience_;    // all readers
    linked_list<feed_reader, run_feed> readers_;  // those that wait
};

/** Reads a feed from an event on.
 *
 *      while (auto event = reader.next()) …;
 *      co_await reader.wait(5s);
 */
class feed_reader : public list_node<run_feed> {
public:
    /** @param after   The id of the last event that is known; 0: from the beginning. */
    feed_reader(std::shared_ptr<run_feed> feed, std::uint64_t after);
    ~feed_reader();
    feed_reader(const feed_reader&) = delete;
    feed_reader& operator=(const feed_reader&) = delete;

    /** The next event; null if there is none yet. */
    [[nodiscard]] std::shared_ptr<const feed_event> next();
    /** True if there is nothing more to come. */
    [[nodiscard]] bool is_at_end() const noexcept { return feed_->is_closed() && !feed_->after(seen_); }
    /** True, once, if events that were not read are gone: the reader goes on behind them. */
    [[nodiscard]] bool takes_gap() noexcept;
    /** Waits for an event or the end, at most for `limit`. */
    [[nodiscard]] task<void> wait(std::chrono::nanoseconds limit);

    [[nodiscard]] const run_feed& feed() const noexcept { return *feed_; }

private:
    friend class run_feed;

    std::shared_ptr<run_feed> feed_;
    std::uint64_t seen_;
    signal more_;
    loop_timer timer_;
};

}  // namespace weft::serve_detail
