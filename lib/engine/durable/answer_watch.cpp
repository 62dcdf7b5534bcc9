#include "answer_watch.hpp"

#include "durable_core.hpp"
#include "engine/commit/store_journal.hpp"
#include "engine/run/run.hpp"
#include "engine/run/run_questions.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/wait/deadline.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

std::function<void()> answer_watch::question_handler() const
{
    return [asked = asked_] { asked->notify(); };
}

void answer_watch::look_at(std::uint64_t news_name)
{
    const bool is_known = std::find(answered_.begin(), answered_.end(), news_name) != answered_.end();
    if (is_known || !core_.runs->holds(news_name)) return;
    answered_.push_back(news_name);
    is_answered_->notify();
}

// Without open questions nothing is polled: a process with runs that never ask has no load from this.
task<void> answer_watch::watch()
{
    const serial_loop& loop = core_.lease.loop();
    time_point look_at{};
    for (;;) {
        if (!core_.runs->has_questions()) {
            co_await asked_->wait();
            look_at = loop.now() + core_.look_every();
        }
        // Parked runs are looked at as often as without news: that asks no store.
        const time_point next = std::min(look_at, loop.now() + core_.options.poll_every);
        static_cast<void>(co_await is_answered_->wait_until(next));
        const bool is_due = loop.now() >= look_at;
        if (is_due) look_at = loop.now() + core_.look_every();
        const std::vector<std::uint64_t> answered = std::exchange(answered_, {});
        for (const std::shared_ptr<held_run>& each : core_.runs->all()) {
            const bool is_meant = std::any_of(answered.begin(), answered.end(), [&](std::uint64_t name) {
                return name == 0 || name == each->news_name;
            });
            if (is_due || is_meant) co_await take_answers(each);
        }
        core_.runs->pause_parked(core_.options, core_.claims.has_unknown_runs());
    }
}

task<void> answer_watch::take_answers(std::shared_ptr<held_run> held)
{
    if (!held->has_questions()) co_return;
    store_answer<std::vector<question_record>> asked = co_await answer_of(
        with_deadline(core_.store.questions(held->thread), core_.options.lifetime));
    if (!asked) co_return;  // with the next look
    for (const question_record& each : *asked.value) {
        if (each.phase != question_phase::answered || !held->active_run) continue;
        std::optional<std::string> address = address_within(held->origin, each.address);
        const std::vector<open_question>& open = held->active_run->questions().open();
        const bool is_open = address && std::any_of(open.begin(), open.end(), [&](const open_question& one) {
            return one.address == *address;
        });
        if (is_open) core_.runs->answer_soon(held->thread, held->origin, std::move(*address), each.answer);
    }
}

}  // namespace weft
