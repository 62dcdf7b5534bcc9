#pragma once

#include "model_access.hpp"

#include <string>
#include <vector>

/** The rules of what `thread_journal` writes, on the tables of a `store_model`. */
namespace weft::store_detail {

[[nodiscard]] write_state record_effect(const model_access& store, const write_fence& fence, effect_record effect);
[[nodiscard]] write_state ask_question(const model_access& store, const write_fence& fence, question_record question);
[[nodiscard]] answer_state answer_question(const model_access& store, const thread_key& thread,
                                           const std::string& address, std::string answer);
/** A checkpoint has what happened at or below these addresses: the journal needs it no more. */
void settle_addresses(const model_access& store, thread_row& thread, const std::vector<std::string>& addresses);

}  // namespace weft::store_detail
