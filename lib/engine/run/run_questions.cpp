#include "parked_question.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>

#include "engine/visit/visit_address.hpp"

#include <boost/assert.hpp>

#include <algorithm>
#include <utility>

namespace weft {

run::parked_question::parked_question(run& owner, node_run& work, std::string address)
    : owner_{owner}, work_{work}, address_{std::move(address)},
      timer_{owner.loop_, &parked_question::on_expiry, this}
{
    owner_.outermost().rare().waiting.push_back(this);
    ++owner_.places_of(work_).questions;
    owner_.update_parking(work_);
}

run::parked_question::~parked_question()
{
    run& all = owner_.outermost();
    std::erase(all.rare().waiting, this);
    go_on();
    if (!answer_ && !owner_.places_of(work_).is_dropped) all.desk().withdraw(address_);
}

/** It does not wait any more. */
void run::parked_question::go_on()
{
    if (!std::exchange(is_waiting_, false)) return;
    timer_.disarm();
    --owner_.places_of(work_).questions;
    owner_.update_parking(work_);
}

void run::parked_question::expire_after(std::chrono::nanoseconds delay)
{
    if (delay.count() > 0) return timer_.arm_after(delay);
    on_expiry(this);
}

void run::parked_question::on_expiry(void* self)
{
    auto& asked = *static_cast<parked_question*>(self);
    asked.is_expired_ = true;
    asked.go_on();
    asked.changed_.notify();
}

void run::parked_question::give(boost::json::value answer)
{
    answer_ = std::move(answer);
    go_on();
    changed_.notify();
    if (owner_.is_watched()) owner_.tell_question(run_event::kind::question_answered, work_, address_);
}

void run::parked_question::refuse(std::exception_ptr why)
{
    refused_ = std::move(why);
    go_on();
    changed_.notify();
}

run::work_under_way::work_under_way(run& owner, node_run& work) : owner_{owner}, work_{work}
{
    ++owner_.places_of(work_).effects;
    owner_.update_parking(work_);
}

run::work_under_way::~work_under_way()
{
    --owner_.places_of(work_).effects;
    owner_.update_parking(work_);
}

run& run::outermost() noexcept
{
    run* at = this;
    while (at->rare_ && at->rare_->outer) at = at->rare_->outer;
    return *at;
}

open_questions& run::desk()
{
    auto& desk = rare().desk;
    if (!desk) desk.emplace(scheduler_.where());
    return *desk;
}

visit_places& run::places_of(node_run& work)
{
    if (!work.places()) {
        std::string address = visit_address(graph_, scheduler_.where(), work.token());
        if (rare_ && rare_->outer) address = rare_->inside + "/" + address;
        work.set_places(std::make_unique<visit_places>(std::move(address)));
    }
    return *work.places();
}

/** Tells the scheduler whether a node only waits for answers, and stops its clock meanwhile. */
void run::update_parking(node_run& work)
{
    visit_places& places = places_of(work);
    const bool is_parked = places.only_waits() && !places.is_dropped;
    if (is_parked == places.is_parked || scheduler_.course().is_over()) return;
    places.is_parked = is_parked;
    if (is_parked) {
        work.hold_timeout();
        scheduler_.node_parked(work.token());
    } else {
        work.release_timeout();
        scheduler_.node_unparked(work.token());
        tell_outer(false);
    }
    // What follows is not done here: a coroutine of the run may be what called.
    if (!pump_later_.is_queued()) loop_.defer(pump_later_);
}

/** A graph inside of a node tells the node's run whether it only waits for answers. */
void run::tell_outer(bool is_parked)
{
    if (!rare_ || !rare_->outer || rare_->is_parked_told == is_parked) return;
    rare_->is_parked_told = is_parked;
    node_run* const around = rare_->outer->at_work_[rare_->outer_token];
    if (!around) return;
    std::uint32_t& questions = rare_->outer->places_of(*around).questions;
    if (is_parked)
        ++questions;
    else
        --questions;
    rare_->outer->update_parking(*around);
}

/** A node that only waits for answers is taken down because the run pauses. */
void run::drop_node(token_index token)
{
    node_run* const work = at_work_[token];
    BOOST_ASSERT(work);
    visit_places& places = places_of(*work);
    places.is_parked = false;
    if (rare_)
        for (const rare_part::inner_run& inner : rare_->inner)
            if (inner.token == token && inner.at_work) return inner.at_work->pause();
    places.is_dropped = true;
    at_work_[token] = nullptr;
    delete work;
    scheduler_.node_dropped(token);
}

void run::end_parking(node_run& work)
{
    if (visit_places* const places = work.places(); places && std::exchange(places->is_parked, false))
        scheduler_.node_unparked(work.token());
}

/** Where a visit is that is about to end, if the journal or the desk of the run have to hear of that; else empty. */
std::string run::visit_to_settle(token_index token) const
{
    const bool matters = rare_ && !rare_->outer && (rare_->journal || rare_->desk);
    return matters ? visit_address(graph_, scheduler_.where(), token) : std::string{};
}

/** A visit has ended. What it leaves behind is needed only if the run ends with it, to be resumed from before. */
void run::settle_visit(const std::string& visit)
{
    const run_course& course = scheduler_.course();
    if (visit.empty() || course.is_stopping() || (course.is_over() && course.why())) return;
    if (rare_->desk) rare_->desk->settle(visit);
    if (rare_->journal) rare_->journal->settle(visit);
}

/** The run begins: with its answers, its journal, and what it does when only answers are missing. */
void run::open_questions()
{
    if (rare_ && rare_->outer) return scheduler_.when_parked(parked_rule::tell);
    const bool pauses = request_.on_questions().value_or(interrupts::pause) == interrupts::pause;
    if (pauses) scheduler_.when_parked(parked_rule::pause);
    const frontier* const from = request_.resumed_from().get();
    std::shared_ptr<effect_journal> journal = request_.journal();
    if (!journal && from && from->extras) journal = from->extras->journal;
    if (journal) rare().journal = std::move(journal);
    if (!request_.given_answers() || (rare_ && rare_->mistake)) return;
    try {
        desk().give(*request_.given_answers());
    } catch (const error& refused) {
        failure wrong;
        wrong.code = refused.code();
        wrong.message = std::string{"answers: "} + refused.what();
        wrong.cause = std::current_exception();
        rare().mistake = std::make_shared<const failure>(std::move(wrong));
    }
}

void run::lie_within(run& outer, token_index token)
{
    rare().outer = &outer;
    rare().outer_token = token;
    if (outer.scheduler_.restart().is_left()) scheduler_.restart().leave();
    rare().inside = outer.places_of(*outer.at_work_[token]).address();
}

node_run& run::work_of(const node_context& context)
{
    const token_index token = token_of(context);
    if (token < at_work_.size()) return *at_work_[token];
    throw error{errc::invalid_configuration, "node '" + std::string{context.node()} + "'",
                "a plain node cannot wait: make it a coroutine"};
}

void run::tell_question(run_event::kind what, node_run& work, const std::string& address, std::string text)
{
    run_event event;
    event.what = what;
    event.node = work.context().node();
    event.branch = work.token();
    event.visit = work.context().visit();
    event.attempt = work.context().attempt();
    event.label = address;
    event.text = std::move(text);
    tell(std::move(event));
}

task<boost::json::value> run::interrupt(node_context& node, question asked)
{
    node_run& work = work_of(node);
    std::string address = places_of(work).next(asked.name());
    return ask_at(*this, work, std::move(address), std::move(asked));
}

/** What the journal knows of a question: its answer, or when it was first asked. */
task<std::optional<boost::json::value>> run::ask_journal(run& all, const std::string& address, const question& asked,
                                                         wall_time& asked_at)
{
    const std::shared_ptr<effect_journal> journal = all.rare().journal;
    if (!journal) co_return std::nullopt;
    question_record record{address, to_json_text(to_json(asked))};
    record.asked = asked_at;
    const question_record kept = co_await journal->ask(std::move(record));
    if (kept.phase == question_phase::open) {
        if (kept.asked != wall_time{}) asked_at = kept.asked;
        co_return std::nullopt;
    }
    boost::json::value answer = parse_json(kept.answer);
    check_answer(asked, answer, address);
    all.desk().put(address, answer);
    co_return answer;
}

task<boost::json::value> run::ask_at(run& self, node_run& work, std::string address, question asked)
{
    if (const std::string fault = asked.fault(); !fault.empty())
        throw error{errc::invalid_configuration, "question '" + address + "'", fault};
    run& all = self.outermost();
    wall_time asked_at = self.loop_.clock().system_now();
    std::optional<boost::json::value> known = all.desk().answer_for(address, asked);
    if (known) co_return std::move(*known);
    {
        const work_under_way busy{self, work};
        std::optional<boost::json::value> kept = co_await ask_journal(all, address, asked, asked_at);
        known = std::move(kept);
    }
    if (known) co_return std::move(*known);
    asked_at = all.desk().open(address, asked, asked_at);
    if (self.is_watched()) self.tell_question(run_event::kind::question_asked, work, address, asked.text());
    parked_question waiting{self, work, address};
    if (asked.expiry().count() > 0)
        waiting.expire_after(asked.expiry() - (self.loop_.clock().system_now() - asked_at));
    while (!waiting.is_over()) co_await waiting.change();
    if (waiting.refused()) std::rethrow_exception(waiting.refused());
    if (!waiting.answer() && asked.otherwise()) {
        boost::json::value otherwise = *asked.otherwise();
        (void)co_await all.answer(address, std::move(otherwise));
    }
    if (!waiting.answer())
        throw error{errc::timeout, "question '" + address + "'", "nobody answered it in time"};
    co_return std::move(*waiting.answer());
}

const std::vector<open_question>& run::questions() { return desk().questions(); }

/** Hands an answer to the coroutine that waits for it, if there is one now. */
void run::hand_over(const std::string& address, const boost::json::value& value)
{
    for (parked_question* const waiting : rare().waiting)
        if (waiting->address() == address && !waiting->answer()) return waiting->give(value);
}

void run::learn_answer(const std::string& address, boost::json::value value)
{
    const intrusive_ptr<run> kept{this};
    const open_question* const open = has_begun_ && !scheduler_.course().is_over() ? desk().find(address) : nullptr;
    if (!open) return;
    try {
        check_answer(open->asked, value, address);
    } catch (const error&) {
        // Whoever wrote it did not look, and it stands: the node fails as it would when it asked again.
        for (parked_question* const waiting : rare().waiting)
            if (waiting->address() == address) return waiting->refuse(std::current_exception());
        return;
    }
    desk().put(address, value);
    hand_over(address, value);
}

task<answer_state> run::answer(std::string address, boost::json::value value)
{
    const intrusive_ptr<run> kept{this};
    const std::shared_ptr<effect_journal> journal = rare().journal;
    answer_state state = desk().check(address, value);
    if (state != answer_state::accepted) co_return state;
    if (journal) {
        const question asked = desk().find(address)->asked;
        std::string text = to_json_text(value);
        state = co_await journal->answer(address, std::move(text));
        if (state == answer_state::unknown)
            throw error{errc::unknown_question, address, "the run's journal has no such question"};
        if (state == answer_state::already_answered) {  // by somebody elsewhere: that answer counts here too
            question_record record{address, to_json_text(to_json(asked))};
            const question_record first = co_await journal->ask(std::move(record));
            value = parse_json(first.answer);
        }
        if (!desk().find(address)) co_return state;  // somebody here was faster than the journal
        check_answer(asked, value, address);
    }
    desk().put(address, value);
    hand_over(address, value);
    co_return state;
}

}  // namespace weft
