#include "thread_questions.hpp"

#include "durable_core.hpp"
#include "engine/commit/store_journal.hpp"

#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/engine/checkpoint/checkpoint_reader.hpp>
#include <weft/graph/node/event_question.hpp>
#include <weft/graph/node/question.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace weft {

namespace {

/** The records with addresses of that origin, as its run knows them; in the store others may be left over. */
template <class Record>
std::vector<Record> records_of(run_id origin, const std::vector<Record>& all)
{
    std::vector<Record> own;
    for (const Record& each : all)
        if (std::optional<std::string> address = address_within(origin, each.address)) {
            own.push_back(each);
            own.back().address = std::move(*address);
        }
    return own;
}

[[noreturn]] void refuse_answer(const std::vector<question_record>& asked, const std::string& address)
{
    std::string open;
    for (const question_record& each : asked) {
        if (each.address == address)
            throw error{errc::unknown_question, address, "it has another answer already, which stands"};
        if (each.phase == question_phase::open) open.append(open.empty() ? "" : ", ").append(each.address);
    }
    throw error{errc::unknown_question, address, open.empty() ? "none is open" : "open are " + open};
}

/** Whether the question has this answer now: given before, perhaps by a try whose outcome was lost. Stores may write
 *  JSON in another form than it was given. */
bool has_answer(const std::vector<question_record>& asked, const std::string& address, const std::string& answer)
{
    return std::any_of(asked.begin(), asked.end(), [&](const question_record& each) {
        return each.address == address && each.phase == question_phase::answered &&
               (each.answer == answer || parse_json(each.answer) == parse_json(answer));
    });
}

/** Throws if an answer has no open question that it fits, and was not given before. */
void check_answers(const std::vector<question_record>& asked, const question_answers& answers)
{
    for (const auto& [address, answer] : answers) {
        if (has_answer(asked, address, to_json_text(answer))) continue;
        const auto found = std::find_if(asked.begin(), asked.end(), [&address = address](const auto& each) {
            return each.address == address && each.phase == question_phase::open;
        });
        if (found == asked.end()) refuse_answer(asked, address);
        check_answer(question_from_json(parse_json(found->question)), answer, address);
    }
}

}  // namespace

/** The origin is that of the present run, unless that goes on, or the next one will, where another one was broken off;
 *  nil if all is settled. */
template <class Record>
task<thread_questions::run_records<Record>> thread_questions::read_own(thread_key thread,
                                                                       std::vector<Record> all) const
{
    run_records<Record> records;
    if (all.empty()) co_return records;
    const std::optional<run_record> active = co_await core_.patient.active_run(thread);
    if (active) records.own = records_of(active->id, all);
    // The present run has asked or done something of its own.
    if (!records.own.empty()) {
        records.origin = active->id;
        co_return records;
    }
    const std::optional<checkpoint> head = co_await core_.patient.load(std::move(thread), std::nullopt);
    const bool is_over = !head || (head->kind == checkpoint_kind::finish && head->node.empty());
    if (is_over) co_return records;
    records.origin = origin_of(*head);
    records.own = records_of(records.origin, all);
    co_return records;
}

task<thread_questions::run_records<question_record>> thread_questions::read_questions(thread_key thread) const
{
    std::vector<question_record> all = co_await core_.patient.questions(thread);
    co_return co_await read_own(std::move(thread), std::move(all));
}

task<run_id> thread_questions::check(thread_key thread, question_answers answers) const
{
    if (answers.empty()) co_return run_id{};
    const run_records<question_record> asked = co_await read_questions(std::move(thread));
    check_answers(asked.own, answers);
    co_return asked.origin;
}

task<void> thread_questions::require_answer(thread_key thread, std::string address, std::string answer) const
{
    const run_records<question_record> asked = co_await read_questions(std::move(thread));
    if (!has_answer(asked.own, address, answer)) refuse_answer(asked.own, address);
}

task<void> thread_questions::record(thread_key thread, run_id origin, question_answers answers) const
{
    for (const auto& [address, value] : answers) {
        const std::string text = to_json_text(value);
        const answer_state state = co_await core_.patient.answer(thread, stored_address(origin, address), text);
        // A refusal may mean that an earlier try, whose answer was lost, has written this very answer.
        if (state != answer_state::accepted) co_await require_answer(thread, address, text);
        core_.runs->answer_soon(thread, origin, address, text);
    }
}

task<void> thread_questions::answer(thread_key thread, question_answers answers) const
{
    const run_id origin = co_await check(thread, answers);
    co_await record(std::move(thread), origin, std::move(answers));
    core_.changes->notify();  // a worker here takes the run that is ready now
}

task<void> thread_questions::require_thread(thread_key thread) const
{
    const std::optional<run_record> active = co_await core_.patient.active_run(thread);
    if (active) co_return;
    std::string name = thread.thread;
    const std::optional<checkpoint> head = co_await core_.patient.load(std::move(thread), std::nullopt);
    if (!head) throw error{errc::thread_not_found, "thread '" + name + "'", "it has neither a run nor a checkpoint"};
}

task<void> thread_questions::deliver(thread_key thread, std::string event, boost::json::value payload) const
{
    const std::vector<open_question> asked = co_await open(thread);
    if (asked.empty()) co_await require_thread(thread);
    question_answers answers;
    std::string awaited;
    for (const open_question& each : asked) {
        const std::string_view name = event_at(each.address);
        if (name == event) answers.emplace(each.address, payload);
        if (!name.empty()) awaited.append(awaited.empty() ? "'" : ", '").append(name).append("'");
    }
    if (answers.empty())
        throw error{errc::unknown_question, "thread '" + thread.thread + "'",
                    "no node waits for the event '" + event + "' now" +
                        (awaited.empty() ? std::string{} : "; awaited are " + awaited)};
    co_await answer(std::move(thread), std::move(answers));
}

task<std::vector<open_question>> thread_questions::open(thread_key thread) const
{
    const run_records<question_record> asked = co_await read_questions(std::move(thread));
    std::vector<open_question> open;
    for (const question_record& each : asked.own)
        if (each.phase == question_phase::open)
            open.emplace_back(each.address, question_from_json(parse_json(each.question)), each.asked);
    co_return open;
}

task<std::vector<effect_record>> thread_questions::effects(thread_key thread) const
{
    std::vector<effect_record> all = co_await core_.patient.effects(thread);
    run_records<effect_record> records = co_await read_own(std::move(thread), std::move(all));
    co_return std::move(records.own);
}

}  // namespace weft
