#include "held_runs.hpp"

#include "engine/commit/checkpoint_committer.hpp"
#include "engine/run/run.hpp"
#include "engine/run/run_questions.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/memory/sort_stably.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

void lose(held_run& held)
{
    failure lost;
    lost.code = errc::thread_lost;
    lost.message = "thread '" + held.thread.thread + "': " + std::string{describe(errc::thread_lost)} +
                   ": this process could not show in time that it lives";
    held.committer->lose();
    const intrusive_ptr<run> active = held.active_run;
    if (active) active->lose(std::make_shared<const failure>(std::move(lost)));
}

// A run that ends in its call drops the last count but this one.
void perform_signal(const held_run& held, run_signal what)
{
    const intrusive_ptr<run> active = held.active_run;
    if (active && what == run_signal::pause) active->pause();
    if (active && what == run_signal::cancel) active->cancel();
}

}  // namespace

held_run::held_run() = default;
held_run::~held_run() = default;

bool held_run::has_questions() const { return active_run && !active_run->questions().open().empty(); }

bool held_run::is_parked() const { return active_run && active_run->is_parked(); }

void held_run::yield()
{
    is_yielding = true;
    committer->leave_end_open();
}

held_run* held_runs::find(const thread_key& thread) const noexcept
{
    for (const std::shared_ptr<held_run>& each : runs_)
        if (each->thread == thread) return each.get();
    return nullptr;
}

bool held_runs::has_questions() const
{
    return std::any_of(runs_.begin(), runs_.end(), [](const auto& each) { return each->has_questions(); });
}

bool held_runs::holds(std::uint64_t news_name) const noexcept
{
    return std::any_of(runs_.begin(), runs_.end(),
                       [&](const auto& each) { return news_name == 0 || each->news_name == news_name; });
}

std::size_t held_runs::parked() const
{
    return static_cast<std::size_t>(
        std::count_if(runs_.begin(), runs_.end(), [](const auto& each) { return each->is_parked(); }));
}

std::size_t held_runs::parked_of_worker() const
{
    return static_cast<std::size_t>(std::count_if(runs_.begin(), runs_.end(), [](const auto& each) {
        return each->is_of_worker && each->parked_since && each->is_parked();
    }));
}

void held_runs::signal_soon(run_id run, run_signal what)
{
    signals_.emplace_back(run, what);
    perform_soon();
}

void held_runs::lose_all_soon()
{
    are_lost_ = true;
    perform_soon();
}

void held_runs::answer_soon(const thread_key& thread, run_id origin, std::string address, const std::string& answer)
{
    const held_run* const held = find(thread);
    if (!held || held->origin != origin) return;
    boost::json::value value;
    try {
        value = parse_json(answer);
    } catch (const error&) {
        return;  // it cannot be read: the node gets the error when it asks again
    }
    answers_.push_back({held->id, std::move(address), std::move(value)});
    perform_soon();
}

void held_runs::pause_parked(const durable_options& options, bool all)
{
    const time_point now = loop_->now();
    std::vector<const held_run*> parked;
    for (const std::shared_ptr<held_run>& each : runs_) {
        if (!each->is_parked()) {
            each->parked_since.reset();
            continue;
        }
        if (!each->parked_since) each->parked_since = now;
        parked.push_back(each.get());
    }
    sort_stably(parked, [](const held_run* a, const held_run* b) { return *a->parked_since < *b->parked_since; });
    const std::size_t too_many = parked.size() - std::min(parked.size(), options.parked_max);
    for (std::size_t i = 0; i < parked.size(); ++i) {
        const bool is_too_long = options.park_for.count() > 0 && now - *parked[i]->parked_since >= options.park_for;
        if (i < too_many || is_too_long || all) parked_too_long_.push_back(parked[i]->id);
    }
    if (!parked_too_long_.empty()) perform_soon();
}

void held_runs::yield_all()
{
    for (const std::shared_ptr<held_run>& each : runs_) {
        each->yield();
        signal_soon(each->id, run_signal::pause);
    }
}

void held_runs::stop_all()
{
    for (const std::shared_ptr<held_run>& each : runs_) {
        each->yield();
        signal_soon(each->id, run_signal::cancel);
    }
}

void held_runs::yield_of_worker()
{
    for (const std::shared_ptr<held_run>& each : runs_) {
        if (!each->is_of_worker || each->is_yielding) continue;
        each->is_yielding = true;
        signal_soon(each->id, run_signal::pause);
    }
}

void held_runs::perform_soon()
{
    if (!perform_.is_queued()) loop_->defer(perform_);
}

void held_runs::perform()
{
    const std::shared_ptr<held_runs> self = shared_from_this();
    const bool are_lost = std::exchange(are_lost_, false);
    const auto signals = std::exchange(signals_, {});
    auto answers = std::exchange(answers_, {});
    const auto too_long = std::exchange(parked_too_long_, {});
    for (const std::shared_ptr<held_run>& each : all()) {
        for (given_answer& one : answers)
            if (each->active_run && one.run == each->id)
                each->active_run->questions().learn_answer(one.address, std::move(one.value));
        if (are_lost) lose(*each);
        for (const auto& [id, what] : signals)
            if (id == each->id) perform_signal(*each, what);
        // An answer may have come since: then it is not parked any more.
        if (each->is_parked() && std::find(too_long.begin(), too_long.end(), each->id) != too_long.end())
            perform_signal(*each, run_signal::pause);
    }
}

run_registration::run_registration(held_runs& in, std::shared_ptr<held_run> held) : in_{in}, held_{std::move(held)}
{
    in_.runs_.push_back(held_);
}

run_registration::~run_registration()
{
    held_->active_run.reset();
    std::erase(in_.runs_, held_);
}

}  // namespace weft
