#include "run_questions.hpp"

#include "engine/visit/visit_address.hpp"
#include "node_parking.hpp"
#include "run_core.hpp"
#include "run_events.hpp"
#include "run_extras.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>

#include <exception>
#include <utility>

namespace weft {

std::string visit_to_settle(const run_core& core, branch_index branch)
{
    const bool matters = core.extras && !core.extras->outer.run && core.extras->questions.is_used();
    return matters ? visit_address(core.graph, core.scheduler().where(), branch) : std::string{};
}

void settle_visit(run_core& core, const std::string& visit)
{
    const run_course& course = core.scheduler().course();
    if (visit.empty() || course.is_stopping() || (course.is_over() && course.why())) return;
    core.extras->questions.settle(visit);
}

void run_questions::settle(const std::string& visit)
{
    if (all_) all_->settle(visit);
    if (journal_) journal_->settle(visit);
}

open_questions& run_questions::all()
{
    if (!all_) all_.emplace(core_.scheduler().where());
    return *all_;
}

// What the journal knows of a question: its answer, or when it was first asked.
task<std::optional<boost::json::value>> run_questions::ask_journal(std::string address, const question& asked,
                                                                   wall_time& asked_at)
{
    const std::shared_ptr<effect_journal> journal = journal_;
    if (!journal) co_return std::nullopt;
    question_record record{address, to_json_text(to_json(asked))};
    record.asked = asked_at;
    const question_record recorded = co_await journal->ask(std::move(record));
    if (recorded.phase == question_phase::open) {
        if (recorded.asked != wall_time{}) asked_at = recorded.asked;
        co_return std::nullopt;
    }
    boost::json::value answer = parse_json(recorded.answer);
    check_answer(asked, answer, address);
    all().put(address, answer);
    co_return answer;
}

task<boost::json::value> run_questions::ask(run_core& asker, node_run& work, std::string address, question asked)
{
    if (const std::string fault = asked.fault(); !fault.empty())
        throw error{errc::invalid_configuration, "question '" + address + "'", fault};
    const clock& clock = asker.loop.clock();
    wall_time asked_at = clock.system_now();
    // Given with the resume, before the node asked.
    std::optional<boost::json::value> known = all().answer_for(address, asked);
    if (known) co_return std::move(*known);
    {
        const work_under_way busy{asker, work};
        std::optional<boost::json::value> recorded = co_await ask_journal(address, asked, asked_at);
        known = std::move(recorded);
    }
    if (known) co_return std::move(*known);
    asked_at = all().open(address, asked, asked_at);
    if (asker.events) {
        std::shared_ptr<const boost::json::value> about;
        if (!asked.about.is_null()) about = std::make_shared<const boost::json::value>(asked.about);
        asker.events->notify_question(run_event::kind::question_asked, work.context(), work.branch(), address,
                                      asked.text, std::move(about));
    }
    parked_question waiting{asker, work, address, asked.keeps_run_awake};
    // From where it was first asked: a restart does not give it more time.
    if (asked.expires_in.count() > 0) waiting.expire_after(asked.expires_in - (clock.system_now() - asked_at));
    while (!waiting.is_over()) co_await waiting.change();
    if (waiting.refused()) std::rethrow_exception(waiting.refused());
    if (!waiting.answer() && asked.otherwise) {
        boost::json::value otherwise = *asked.otherwise;
        (void)co_await answer(address, std::move(otherwise));
    }
    if (!waiting.answer())
        throw error{errc::timeout, "question '" + address + "'", "nobody answered it in time"};
    co_return std::move(*waiting.answer());
}

// Hands an answer to the coroutine that waits for it, if there is one now.
void run_questions::hand_over(const std::string& address, const boost::json::value& value)
{
    for (parked_question* const waiting : waiting_)
        if (waiting->address() == address && !waiting->answer()) return waiting->give(value);
}

void run_questions::learn_answer(const std::string& address, boost::json::value value)
{
    const intrusive_ptr<run_core> alive{&core_};
    const bool is_under_way = core_.has_begun && !core_.scheduler().course().is_over();
    const open_question* const open = is_under_way ? all().find(address) : nullptr;
    // It was answered here meanwhile, or its node is gone.
    if (!open) return;
    try {
        check_answer(open->asked, value, address);
    } catch (const error&) {
        // It stands though it was written unchecked: the node fails as it would when it asked again.
        for (parked_question* const waiting : waiting_)
            if (waiting->address() == address) return waiting->refuse(std::current_exception());
        return;
    }
    all().put(address, value);
    hand_over(address, value);
}

task<answer_state> run_questions::answer(std::string address, boost::json::value value)
{
    const intrusive_ptr<run_core> alive{&core_};
    const std::shared_ptr<effect_journal> journal = journal_;
    answer_state state = all().check(address, value);
    if (state != answer_state::accepted) co_return state;
    if (journal) {
        const question asked = all().find(address)->asked;
        std::string text = to_json_text(value);
        state = co_await journal->answer(address, std::move(text));
        if (state == answer_state::unknown)
            throw error{errc::unknown_question, address, "the run's journal has no such question"};
        if (state == answer_state::already_answered) {  // elsewhere: that answer counts here too
            question_record record{address, to_json_text(to_json(asked))};
            const question_record first = co_await journal->ask(std::move(record));
            value = parse_json(first.answer);
        }
        if (!all().find(address)) co_return state;  // another answer here was faster than the journal
        check_answer(asked, value, address);
    }
    all().put(address, value);
    hand_over(address, value);
    co_return state;
}

}  // namespace weft
