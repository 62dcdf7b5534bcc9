#include "durable_impl.hpp"

#include "engine/commit/store_journal.hpp"

#include <weft/async/wait/deadline.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/base/memory/sort_stably.hpp>

#include <algorithm>
#include <utility>

namespace weft {

bool durable_engine::impl::has_questions() const
{
    return std::any_of(runs.begin(), runs.end(), [](const std::shared_ptr<held_run>& each) {
        return each->at_work && !each->at_work->questions().open().empty();
    });
}

/** While a run here has open questions: looks for answers that came from elsewhere, and gives back runs that have been
 *  parked for long. */
task<void> durable_engine::impl::watch_questions()
{
    for (;;) {
        if (!has_questions()) co_await asking_.wait();
        co_await sleep_for(options.poll_every());
        const auto held_now = runs;
        for (const std::shared_ptr<held_run>& each : held_now) {
            task<void> hearing = hear_answers(each);
            co_await std::move(hearing);
        }
        give_back_parked();
    }
}

task<void> durable_engine::impl::hear_answers(std::shared_ptr<held_run> held)
{
    if (!held->at_work || held->at_work->questions().open().empty()) co_return;
    task<std::vector<question_record>> reading = with_deadline(store.questions(held->thread), options.lifetime());
    store_answer<std::vector<question_record>> asked = co_await answer_of(std::move(reading));
    if (!asked) co_return;  // with the next look
    for (const question_record& each : *asked.value) {
        if (each.phase != question_phase::answered || !held->at_work) continue;
        std::optional<std::string> address = address_within(held->origin, each.address);
        const std::vector<open_question>& open = held->at_work->questions().open();
        const bool is_open = address && std::any_of(open.begin(), open.end(), [&](const open_question& one) {
            return one.address == *address;
        });
        if (is_open) learn_soon(held->thread, held->origin, std::move(*address), each.answer);
    }
}

void durable_engine::impl::learn_soon(const thread_key& thread, run_id origin, std::string address,
                                      const std::string& answer)
{
    const held_run* const held = find(thread);
    if (!held || held->origin != origin) return;
    boost::json::value value;
    try {
        value = parse_json(answer);
    } catch (const error&) {
        return;  // it cannot be read: the node hears of it when it asks again
    }
    learned_.push_back({held->id, std::move(address), std::move(value)});
    do_asked_soon();
}

void durable_engine::impl::give_back_parked()
{
    const time_point now = loop->now();
    std::vector<const held_run*> parked;
    for (const std::shared_ptr<held_run>& each : runs) {
        if (!each->at_work || !each->at_work->is_parked()) {
            each->parked_since.reset();
            continue;
        }
        if (!each->parked_since) each->parked_since = now;
        parked.push_back(each.get());
    }
    sort_stably(parked, [](const held_run* a, const held_run* b) {
        return *a->parked_since < *b->parked_since;
    });
    const std::size_t too_many = parked.size() - std::min(parked.size(), options.parked_max());
    for (std::size_t i = 0; i < parked.size(); ++i) {
        const bool is_too_long = options.park_for().count() > 0 && now - *parked[i]->parked_since >= options.park_for();
        if (i < too_many || is_too_long || has_unknown_runs) parked_too_long_.push_back(parked[i]->id);
    }
    if (!parked_too_long_.empty()) do_asked_soon();
}

std::size_t durable_engine::impl::parked_of_worker() const
{
    return static_cast<std::size_t>(std::count_if(runs.begin(), runs.end(), [](const auto& each) {
        return each->is_of_worker && each->parked_since && each->at_work && each->at_work->is_parked();
    }));
}

}  // namespace weft
