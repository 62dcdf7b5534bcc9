#include "durable_impl.hpp"

#include "engine/commit/store_journal.hpp"

#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/engine/checkpoint/checkpoint_reader.hpp>
#include <weft/graph/node/question.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

/** What a thread's present run has in the journal, or the one that the next will go on with. */
template <class Record>
struct kept_records {
    run_id origin;  ///< The run that began to count the visits.
    std::vector<Record> own;
};

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

/** The run that began to count the visits of what a thread has in its journal; nil if all is settled. The present run,
 *  unless it goes on, or the next one will, where another one was broken off.
 *  @param has_own   Whether a run has records of its own. */
template <class HasOwn>
task<run_id> read_origin_of(std::shared_ptr<durable_engine::impl> self, thread_key thread, HasOwn has_own)
{
    auto looking = durable_engine::impl::active_run(self, thread);
    const std::optional<run_record> active = co_await std::move(looking);
    if (active && has_own(active->id)) co_return active->id;
    auto loading = durable_engine::impl::newest_checkpoint(self, std::move(thread));
    const std::optional<checkpoint> head = co_await std::move(loading);
    const bool is_over = !head || (head->kind == checkpoint_kind::finish && head->node.empty());
    if (is_over) co_return run_id{};
    co_return origin_of(*head);
}

/** @param read   Gives all records of the thread. */
template <class Record, class Read>
task<kept_records<Record>> read_own(std::shared_ptr<durable_engine::impl> self, thread_key thread, Read read)
{
    auto reading = patiently(self, read);
    const std::vector<Record> all = co_await std::move(reading);
    kept_records<Record> kept;
    if (all.empty()) co_return kept;
    const auto has_own = [&all](run_id run) { return !records_of(run, all).empty(); };
    task<run_id> asking = read_origin_of(self, std::move(thread), has_own);
    kept.origin = co_await std::move(asking);
    if (!kept.origin.is_nil()) kept.own = records_of(kept.origin, all);
    co_return kept;
}

using kept_questions = kept_records<question_record>;

task<kept_questions> read_questions(std::shared_ptr<durable_engine::impl> self, thread_key thread)
{
    const auto read = [self, thread] { return self->store.questions(thread); };
    return read_own<question_record>(std::move(self), std::move(thread), read);
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

/** Whether the question has this answer now: given before, perhaps by a try whose outcome was lost. */
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

task<run_id> durable_engine::impl::check(std::shared_ptr<impl> self, thread_key thread, question_answers answers)
{
    if (answers.empty()) co_return run_id{};
    task<kept_questions> reading = read_questions(std::move(self), std::move(thread));
    const kept_questions kept = co_await std::move(reading);
    check_answers(kept.own, answers);
    co_return kept.origin;
}

task<void> durable_engine::impl::tell(std::shared_ptr<impl> self, thread_key thread, run_id origin,
                                      question_answers answers)
{
    for (const auto& [address, value] : answers) {
        const std::string text = to_json_text(value);
        const std::string stored = stored_address(origin, address);
        const auto tell = [self, thread, stored, text] { return self->store.answer(thread, stored, text); };
        auto telling = patiently(self, tell);
        const answer_state state = co_await std::move(telling);
        if (state != answer_state::accepted) {
            task<kept_questions> again = read_questions(self, thread);
            const kept_questions now = co_await std::move(again);
            if (!has_answer(now.own, address, text)) refuse_answer(now.own, address);
        }
        self->learn_soon(thread, origin, address, text);
    }
}

task<void> durable_engine::impl::answer(std::shared_ptr<impl> self, thread_key thread, question_answers answers)
{
    task<run_id> checking = check(self, thread, answers);
    const run_id origin = co_await std::move(checking);
    task<void> telling = tell(self, std::move(thread), origin, std::move(answers));
    co_await std::move(telling);
    self->ring();  // a worker here takes the run that is ready now
}

task<std::vector<open_question>> durable_engine::impl::questions(std::shared_ptr<impl> self, thread_key thread)
{
    task<kept_questions> reading = read_questions(self, std::move(thread));
    const kept_questions kept = co_await std::move(reading);
    std::vector<open_question> open;
    for (const question_record& each : kept.own)
        if (each.phase == question_phase::open)
            open.emplace_back(each.address, question_from_json(parse_json(each.question)), each.asked);
    co_return open;
}

task<std::vector<effect_record>> durable_engine::impl::effects(std::shared_ptr<impl> self, thread_key thread)
{
    const auto read = [self, thread] { return self->store.effects(thread); };
    auto reading = read_own<effect_record>(self, std::move(thread), read);
    kept_records<effect_record> kept = co_await std::move(reading);
    co_return std::move(kept.own);
}

}  // namespace weft
