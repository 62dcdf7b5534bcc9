#include "run_news.hpp"

#include <weft/engine/run_result.hpp>

#include <map>
#include <utility>

namespace weft::serve_detail {

run_news::run_news(feed_table& feeds, tape_table& tapes, std::shared_ptr<loop_relay> relay)
    : feeds_{feeds}, tapes_{tapes}, relay_{std::move(relay)}
{
    if (relay_) relay_->attach(*this);
}

run_news::~run_news()
{
    if (relay_) relay_->detach();
}

std::shared_ptr<run_feed> run_news::begin(const thread_key& thread, run_id run)
{
    std::shared_ptr<run_feed> feed = feeds_.of(run);
    feed->reopen();
    feed->set_driven();
    if (!relay_) return feed;
    driven_[thread].insert(run);
    relay_->tell(thread, relayed_entry{.run = run, .is_driven = true});
    return feed;
}

void run_news::tell(const thread_key& thread, const run_event& event)
{
    const std::shared_ptr<run_feed> feed = feeds_.of(event.run);
    std::shared_ptr<const feed_event> pushed = feed->push(event);
    feed->set_live(!feed->has_rested());
    if (relay_) {
        if (!feed->is_driven()) driven_[thread].insert(event.run);
        relay_->tell(thread, relayed_entry{.run = event.run, .event = pushed, .is_driven = feed->is_driven()});
    }
    thread_tape* const tape = tapes_.find(thread);
    if (tape) tape->push(event.run, std::move(pushed));
    note_rest(thread, event, *feed, tape);
}

void run_news::tell_logged(const thread_key& thread, run_feed& feed, const run_event& event)
{
    if (event.id <= feed.last_id()) return;
    std::shared_ptr<const feed_event> pushed = feed.push(event);
    if (relay_) {
        const bool is_driven = feed.is_driven();
        relay_->tell(thread, relayed_entry{
                                 .run = event.run, .event = pushed, .is_driven = is_driven, .is_logged = true});
    }
    if (thread_tape* const tape = tapes_.find(thread)) tape->push(event.run, std::move(pushed));
}

void run_news::end_logged(const thread_key& thread, run_id run, run_ending how)
{
    thread_tape* const tape = tapes_.find(thread);
    if (tape && !how.is_given_back) tape->push_end(run, std::make_shared<const run_ending>(how));
    let_go(driven_, thread, run);
    let_go(relayed_, thread, run);
    feeds_.close(run, std::move(how));
}

void run_news::let_go(std::unordered_map<thread_key, std::set<run_id>>& of, const thread_key& thread, run_id run)
{
    const auto place = of.find(thread);
    if (place == of.end()) return;
    place->second.erase(run);
    if (place->second.empty()) of.erase(place);
}

/** The end of a run that the worker loop has, which tells it to no launcher. */
void run_news::note_rest(const thread_key& thread, const run_event& event, run_feed& feed, thread_tape* tape)
{
    const bool rests = event.what == run_event::kind::run_finished || event.what == run_event::kind::run_paused;
    if (!rests || !event.address.empty() || feed.is_driven()) return;
    feeds_.retire(event.run);
    let_go(driven_, thread, event.run);
    let_go(relayed_, thread, event.run);
    if (!tape) return;
    run_ending ending;
    if (event.text == name_of(run_status::failed)) ending.phase = run_phase::failed;
    if (event.text == name_of(run_status::cancelled)) ending.phase = run_phase::cancelled;
    if (event.text == name_of(run_status::paused)) ending.phase = run_phase::waiting;
    // The worker loop gives it back to the store: a client would take it for one that was cancelled, or asks.
    if (is_draining_ && ending.phase != run_phase::failed && ending.phase != run_phase::finished) return;
    tape->push_end(event.run, std::make_shared<const run_ending>(std::move(ending)));
}

void run_news::end(const thread_key& thread, run_id run, run_ending how)
{
    thread_tape* const tape = tapes_.find(thread);
    if (tape || relay_) {
        const auto ending = std::make_shared<const run_ending>(how);
        if (tape && !how.is_given_back) tape->push_end(run, ending);
        if (relay_) relay_->tell(thread, relayed_entry{.run = run, .ending = ending, .is_driven = true});
    }
    let_go(driven_, thread, run);
    feeds_.close(run, std::move(how));
}

task<std::shared_ptr<void>> run_news::follow(thread_key thread)
{
    if (!relay_) co_return nullptr;
    loop_relay::begin_function begin = [this, thread](const relayed_entries& known) { take(thread, known); };
    co_return co_await relay_->follow(thread, std::move(begin));
}

task<std::shared_ptr<thread_tape>> run_news::tape_of(thread_key thread, latest_run latest)
{
    if (tapes_.find(thread)) co_return tapes_.of(thread);
    if (!relay_) co_return begin_tape(thread, {}, latest);
    std::shared_ptr<thread_tape> tape;
    loop_relay::begin_function begin = [&](const relayed_entries& known) {
        if (!tapes_.find(thread)) tape = begin_tape(thread, known, latest);
    };
    std::shared_ptr<void> watch = co_await relay_->follow(thread, std::move(begin));
    if (!tape) co_return tapes_.of(thread);  // another client has begun it meanwhile
    tape->keep(std::move(watch));
    co_return tape;
}

std::shared_ptr<thread_tape> run_news::begin_tape(const thread_key& thread, const relayed_entries& known,
                                                  const latest_run& latest)
{
    std::shared_ptr<thread_tape> tape = tapes_.of(thread);
    if (!known.empty() && known.front().sequence > 0) tape->number_after(known.front().sequence - 1);
    std::uint64_t seen = 0;
    bool rests = false;
    for (const relayed_entry& entry : known) {
        const bool is_latest = latest.feed && entry.run == latest.feed->run();
        std::shared_ptr<const feed_event> event = take_entry(thread, entry, nullptr);
        if (entry.ending && !entry.ending->is_given_back) tape->push_end(entry.run, entry.ending);
        if (is_latest) rests = entry.ending != nullptr;
        if (!event) continue;
        if (is_latest) seen = event->what.id;
        tape->push(entry.run, std::move(event));
    }
    if (!latest.feed) return tape;
    const run_id run = latest.feed->run();
    for (; const auto* const event = latest.feed->after(seen); seen = (*event)->what.id) tape->push(run, *event);
    if (latest.rest && !rests) tape->push_end(run, latest.rest);
    return tape;
}

relayed_entries run_news::recall(const thread_key& thread)
{
    relayed_entries result;
    std::map<run_id, std::uint64_t> seen;
    const auto is_logged = [&](run_id run) {
        const std::shared_ptr<run_feed> feed = feeds_.find(run);
        return feed && !feed->is_live() && !feed->has_rested();
    };
    const auto found = driven_.find(thread);
    const std::set<run_id> driven = found == driven_.end() ? std::set<run_id>{} : found->second;
    if (const thread_tape* const tape = tapes_.find(thread)) {
        for (std::uint64_t at = 0; const tape_entry* const entry = tape->after(at); at = entry->sequence) {
            result.push_back({.run = entry->run,
                              .event = entry->event,
                              .ending = entry->ending,
                              .is_driven = driven.contains(entry->run),
                              .is_logged = is_logged(entry->run),
                              .sequence = entry->sequence});
            if (entry->event) seen[entry->run] = entry->event->what.id;
        }
    }
    for (const run_id run : driven) {
        const std::shared_ptr<run_feed> feed = feeds_.find(run);
        if (!feed) continue;
        std::uint64_t& last = seen[run];
        for (; const auto* const event = feed->after(last); last = (*event)->what.id)
            result.push_back(
                {.run = run, .event = *event, .is_driven = feed->is_driven(), .is_logged = is_logged(run)});
        if (feed->is_driven()) result.push_back({.run = run, .is_driven = true});
    }
    return result;
}

void run_news::take(const thread_key& thread, const relayed_entries& news)
{
    thread_tape* const tape = tapes_.find(thread);
    for (const relayed_entry& entry : news) take_entry(thread, entry, tape);
}

/** @return  The event as this loop has it, with forms and names of its own; null for what is none. */
std::shared_ptr<const feed_event> run_news::take_entry(const thread_key& thread, const relayed_entry& entry,
                                                       thread_tape* tape)
{
    const std::shared_ptr<run_feed> feed = feeds_.of(entry.run);
    if (entry.ending) {
        if (feed->is_closed()) return nullptr;
        if (tape && !entry.ending->is_given_back) tape->push_end(entry.run, entry.ending);
        let_go(relayed_, thread, entry.run);
        feeds_.close(entry.run, *entry.ending);
        return nullptr;
    }
    const std::uint64_t id = entry.event ? entry.event->what.id : 0;
    if (entry.event && id <= feed->last_id()) {
        const auto* const known = feed->after(id - 1);
        return (*known)->what.id == id ? *known : nullptr;
    }
    feed->reopen();
    if (entry.is_driven) feed->set_driven();
    relayed_[thread].insert(entry.run);
    if (!entry.event) return nullptr;
    std::shared_ptr<const feed_event> copied = feed->push(entry.event->what);
    if (tape) tape->push(entry.run, copied);
    if (entry.is_logged) return copied;
    feed->set_live(!feed->has_rested());
    note_rest(thread, copied->what, *feed, tape);
    return copied;
}

void run_news::lose_sight(const thread_key& thread)
{
    const auto place = relayed_.find(thread);
    if (place == relayed_.end()) return;
    // Nothing tells their ends here any more, and what happens until they are followed again is missing.
    for (const run_id run : place->second) feeds_.forget(run);
    relayed_.erase(place);
}

}  // namespace weft::serve_detail
