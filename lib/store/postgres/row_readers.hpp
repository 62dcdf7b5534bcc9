#pragma once

#include "store/postgres/wire/sql_call.hpp"

#include <weft/store/checkpoint_store.hpp>
#include <weft/store/item_store.hpp>
#include <weft/store/record/stored_document.hpp>
#include <weft/store/record/stored_event.hpp>
#include <weft/store/record/stored_run.hpp>
#include <weft/store/record/stored_thread.hpp>

#include <cstddef>

/** Rows as values of the stores. The columns stand as in the statements that they come from.
 *
 *  @par Errors   `errc::store_corrupt`: a number that means nothing. */
namespace weft::postgres_detail {

/** @param first   The column that it begins in. */
[[nodiscard]] checkpoint_info read_info(const sql_result& rows, std::size_t row, int first = 0);
[[nodiscard]] checkpoint read_checkpoint(const sql_result& rows, std::size_t row, int first = 0);
[[nodiscard]] run_record read_run(const sql_result& rows, std::size_t row);
[[nodiscard]] run_claim read_claim(const sql_result& rows, std::size_t row);
[[nodiscard]] run_admission read_admission(const sql_result& rows, const new_run& asked);
[[nodiscard]] effect_record read_effect(const sql_result& rows, std::size_t row);
[[nodiscard]] question_record read_question(const sql_result& rows, std::size_t row);
[[nodiscard]] stored_document read_document_row(const sql_result& rows, std::size_t row);
[[nodiscard]] stored_run read_listed_run(const sql_result& rows, std::size_t row);
[[nodiscard]] stored_thread read_listed_thread(const sql_result& rows, std::size_t row);
/** @param after  The last event that the reader knows. */
[[nodiscard]] event_page read_event_page(const sql_result& rows, std::uint64_t after);
[[nodiscard]] stored_item read_item(const sql_result& rows, std::size_t row);

}  // namespace weft::postgres_detail
