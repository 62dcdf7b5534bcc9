#include "sqlite_journal.hpp"

#include "sqlite_runs.hpp"
#include "sqlite_threads.hpp"

namespace weft::sqlite_detail {

void settle(connection& db, std::int64_t thread, const std::string& address)
{
    // '0' is the character behind '/', and texts are compared byte by byte: what lies between begins with "address/".
    const std::string first = address + '/';
    const std::string end = address + '0';
    query{db, "DELETE FROM effect WHERE thread = ?1 AND (address = ?2 OR (address >= ?3 AND address < ?4))", thread,
          address, first, end}.run();
    query{db, "DELETE FROM question WHERE thread = ?1 AND (address = ?2 OR (address >= ?3 AND address < ?4))", thread,
          address, first, end}.run();
}

write_state record_effect(connection& db, const write_fence& fence, const effect_record& effect, const moment& at)
{
    const fence_check fenced = check_fence(db, fence, compares::epoch);
    if (fenced.state != write_state::ok) return fenced.state;
    // An outcome takes the place of an intent, and nothing else of anything.
    const bool is_written =
        query{db,
              "INSERT INTO effect (thread, address, phase, epoch, key, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6) "
              "ON CONFLICT DO UPDATE SET phase = ?3, epoch = ?4, key = ?5, body = ?6 WHERE phase = 0 AND ?3 <> 0",
              fenced.thread.no, effect.address, effect.phase, fence.epoch, effect.key, raw{effect.body}}
            .run() > 0;
    if (!is_written) return write_state::duplicate;
    touch_thread(db, fenced.thread.no, stored(at.today));
    return write_state::ok;
}

std::vector<effect_record> read_effects(connection& db, const thread_key& thread)
{
    query asked{db, "SELECT address, phase, key, body, epoch FROM effect WHERE thread = ? ORDER BY address",
                thread_number(db, thread)};
    std::vector<effect_record> found;
    while (asked.next()) {
        effect_record& effect = found.emplace_back(asked.text(0), asked.as<effect_phase>(1), asked.text(2),
                                                   asked.text(3));
        effect.epoch = asked.integer(4);
    }
    return found;
}

write_state ask_question(connection& db, const write_fence& fence, const question_record& question, const moment& at)
{
    const fence_check fenced = check_fence(db, fence, compares::epoch);
    if (fenced.state != write_state::ok) return fenced.state;
    const bool is_written =
        query{db,
              "INSERT INTO question (thread, address, no, phase, head, asked, question) VALUES (?1, ?2, "
              "(SELECT coalesce(max(no), 0) + 1 FROM question WHERE thread = ?1), 0, ?3, ?4, ?5) "
              "ON CONFLICT DO NOTHING",
              fenced.thread.no, question.address, fenced.thread.head, stored(at.today), raw{question.question}}
            .run() > 0;
    if (!is_written) return write_state::duplicate;
    touch_thread(db, fenced.thread.no, stored(at.today));
    return write_state::ok;
}

answer_state answer_question(connection& db, const thread_key& thread, const question_record& answered,
                             const moment& at)
{
    const std::int64_t no = thread_number(db, thread);
    const bool is_accepted =
        query{db,
              "UPDATE question SET phase = 1, answer = ?3, answered = ?4 WHERE thread = ?1 AND address = ?2 AND "
              "phase = 0",
              no, answered.address, raw{answered.answer}, stored(at.today)}
            .run() > 0;
    if (is_accepted) touch_thread(db, no, stored(at.today));
    const bool is_there =
        is_accepted ||
        query{db, "SELECT 1 FROM question WHERE thread = ? AND address = ?", no, answered.address}.next();
    if (!is_there) return answer_state::unknown;
    make_ready_if_answered(db, no, first_part_of(answered.address), at);
    return is_accepted ? answer_state::accepted : answer_state::already_answered;
}

std::vector<question_record> read_questions(connection& db, const thread_key& thread)
{
    query asked{db,
                "SELECT address, question, phase, answer, asked, answered FROM question WHERE thread = ? ORDER BY no",
                thread_number(db, thread)};
    std::vector<question_record> found;
    while (asked.next()) {
        question_record& question = found.emplace_back(asked.text(0), asked.text(1));
        question.phase = asked.as<question_phase>(2);
        question.answer = asked.text(3);
        question.asked = as_wall_time(asked.integer(4));
        question.answered = as_wall_time(asked.integer(5));
    }
    return found;
}

}  // namespace weft::sqlite_detail
