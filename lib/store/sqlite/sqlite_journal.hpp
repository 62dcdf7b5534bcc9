#pragma once

#include "sqlite_connection.hpp"
#include "sqlite_time.hpp"

#include <weft/store/record/journal.hpp>
#include <weft/store/record/run_record.hpp>

#include <string>
#include <vector>

namespace weft::sqlite_detail {

/** Drops the effects and questions of an address and of all below it. */
void settle(connection& db, std::int64_t thread, const std::string& address);

[[nodiscard]] write_state record_effect(connection& db, const write_fence& fence, const effect_record& effect,
                                        const moment& at);
[[nodiscard]] std::vector<effect_record> read_effects(connection& db, const thread_key& thread);
[[nodiscard]] write_state ask_question(connection& db, const write_fence& fence, const question_record& question,
                                       const moment& at);
[[nodiscard]] answer_state answer_question(connection& db, const thread_key& thread, const question_record& answered,
                                           const moment& at);
[[nodiscard]] std::vector<question_record> read_questions(connection& db, const thread_key& thread);

}  // namespace weft::sqlite_detail
