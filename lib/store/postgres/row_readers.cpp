#include "row_readers.hpp"

#include "store/postgres/sql/run_columns.hpp"
#include "store/record/event_pruning.hpp"
#include "store/record/lost_attempts.hpp"
#include "store/record/queue_texts.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

namespace weft::postgres_detail {

namespace {

/** A number between 0 and `last` as an enumerator.
 *  @param of   Gives the row of which it is told, if it is another number: "run 0189…". */
template <class Enum, class Of>
Enum enumerator(const sql_result& rows, std::size_t row, int column, Enum last, const Of& of)
{
    const std::int64_t number = rows.integer(row, column);
    if (number < 0 || number > static_cast<std::int64_t>(last))
        throw error{errc::store_corrupt, "PostgreSQL, " + of(),
                    "column '" + std::string{PQfname(rows.get(), column)} + "' is " + std::to_string(number) +
                        ", which there is not; restore a copy of the database"};
    return static_cast<Enum>(number);
}

/** The columns WEFT_PG_RUN_COLUMNS, which come first where a run is read whole or listed. */
template <class Run>
void read_run_columns(const sql_result& rows, std::size_t row, Run& run)
{
    run.id = run_id{rows.id(row, 0)};
    run.thread = thread_key{std::string{rows.text(row, 2)}, std::string{rows.text(row, 1)}};
    const auto which = [&] { return "run " + run.id.text(); };
    run.phase = enumerator(rows, row, 3, run_phase::dead, which);
    run.signal = enumerator(rows, row, 4, run_signal::cancel, which);
    run.graph = rows.text(row, 5);
    run.message = rows.text(row, 6);
    run.attempt = static_cast<std::uint32_t>(rows.integer(row, 7));
    run.created = rows.moment(row, 8);
    run.ended = rows.moment(row, 9);
    run.metadata = rows.text(row, 10);
    run.webhook = rows.text(row, 11);
    run.priority = static_cast<std::int32_t>(rows.integer(row, 12));
    if (!rows.is_null(row, 13)) run.not_before = rows.moment(row, 13);
    run.changed = rows.moment(row, 14);
    run.revision = rows.text(row, 15);
}

}  // namespace

checkpoint_info read_info(const sql_result& rows, std::size_t row, int first)
{
    checkpoint_info info;
    info.id = checkpoint_id{rows.id(row, first)};
    info.sequence = rows.integer(row, first + 1);
    info.parent = rows.integer(row, first + 2);
    info.run = run_id{rows.id(row, first + 3)};
    info.epoch = rows.integer(row, first + 4);
    info.kind = enumerator(rows, row, first + 5, checkpoint_kind::edit, [&] { return "checkpoint " + info.id.text(); });
    info.step = static_cast<std::uint64_t>(rows.integer(row, first + 6));
    info.node = rows.text(row, first + 7);
    info.graph = rows.text(row, first + 8);
    info.graph_hash = rows.text(row, first + 9);
    info.label = rows.text(row, first + 10);
    info.at = moment_of(rows.integer(row, first + 11));
    info.bytes = static_cast<std::uint64_t>(rows.integer(row, first + 12));
    info.copy_of = checkpoint_id{rows.id(row, first + 13)};
    return info;
}

checkpoint read_checkpoint(const sql_result& rows, std::size_t row, int first)
{
    checkpoint found;
    static_cast<checkpoint_info&>(found) = read_info(rows, row, first);
    found.body = rows.text(row, first + 14);
    found.links = rows.hashes(row, first + 15);
    return found;
}

run_record read_run(const sql_result& rows, std::size_t row)
{
    run_record record;
    read_run_columns(rows, row, record);
    record.input = rows.text(row, run_column_count);
    record.worker = rows.integer(row, run_column_count + 1);
    record.epoch = rows.integer(row, run_column_count + 2);
    record.is_suspect = rows.boolean(row, run_column_count + 3);
    record.limit_keys = store_detail::keys_in(rows.text(row, run_column_count + 4));
    record.lost_attempts = store_detail::unpacked(rows.text(row, run_column_count + 5));
    return record;
}

run_claim read_claim(const sql_result& rows, std::size_t row)
{
    run_claim claim;
    claim.fence.run = run_id{rows.id(row, 0)};
    claim.fence.thread = thread_key{std::string{rows.text(row, 2)}, std::string{rows.text(row, 1)}};
    claim.fence.epoch = rows.integer(row, 3);
    claim.fence.head = rows.integer(row, 4);
    claim.attempt = static_cast<std::uint32_t>(rows.integer(row, 5));
    claim.graph = rows.text(row, 6);
    claim.input = rows.text(row, 7);
    claim.is_suspect = rows.boolean(row, 9);
    claim.revision = rows.text(row, 10);
    return claim;
}

run_admission read_admission(const sql_result& rows, const new_run& asked)
{
    // Exactly one of the three branches of the statement gives a row.
    if (rows.size() != 1)
        throw error{errc::store_corrupt, "PostgreSQL", "a new run was neither entered nor refused"};
    run_admission admission;
    admission.what = enumerator(rows, 0, 0, run_admission::kind::duplicate,
                                [&] { return "run " + asked.id.text(); });
    admission.id = run_id{rows.id(0, 1)};
    if (admission.what != run_admission::kind::started) return admission;
    admission.claim.emplace();
    admission.claim->fence = write_fence{asked.thread, asked.id, rows.integer(0, 2), rows.integer(0, 3)};
    admission.claim->graph = asked.graph;
    admission.claim->input = asked.input;
    admission.claim->revision = asked.revision;
    return admission;
}

effect_record read_effect(const sql_result& rows, std::size_t row)
{
    effect_record effect{std::string{rows.text(row, 0)}, effect_phase::intended, std::string{rows.text(row, 2)},
                         std::string{rows.text(row, 3)}};
    effect.phase = enumerator(rows, row, 1, effect_phase::failed, [&] { return "effect " + effect.address; });
    effect.epoch = rows.integer(row, 4);
    return effect;
}

question_record read_question(const sql_result& rows, std::size_t row)
{
    question_record question{std::string{rows.text(row, 0)}, std::string{rows.text(row, 2)}};
    question.phase = enumerator(rows, row, 1, question_phase::answered,
                                [&] { return "question " + question.address; });
    question.answer = rows.text(row, 3);
    question.asked = rows.moment(row, 4);
    question.answered = rows.moment(row, 5);
    return question;
}

stored_item read_item(const sql_result& rows, std::size_t row)
{
    stored_item item;
    item.key = item_key{rows.texts(row, 0), std::string{rows.text(row, 1)}};
    try {
        item.value = parse_json(rows.text(row, 2));
    } catch (const json_syntax_error& e) {
        throw error{errc::store_corrupt, "item '" + item.key.name + "'",
                    std::string{"its value is no JSON: "} + e.what()};
    }
    item.created = rows.moment(row, 3);
    item.changed = rows.moment(row, 4);
    if (!rows.is_null(row, 5)) item.expires = rows.moment(row, 5);
    return item;
}

stored_document read_document_row(const sql_result& rows, std::size_t row)
{
    stored_document found;
    found.key = {std::string{rows.text(row, 0)}, std::string{rows.text(row, 1)}, std::string{rows.text(row, 2)}};
    found.revision = static_cast<std::uint64_t>(rows.integer(row, 3));
    found.body = rows.text(row, 4);
    found.created = rows.moment(row, 5);
    found.changed = rows.moment(row, 6);
    if (!rows.is_null(row, 7)) found.due = rows.moment(row, 7);
    return found;
}

stored_run read_listed_run(const sql_result& rows, std::size_t row)
{
    stored_run run;
    read_run_columns(rows, row, run);
    run.idempotency_key = rows.text(row, run_column_count);
    return run;
}

stored_thread read_listed_thread(const sql_result& rows, std::size_t row)
{
    stored_thread thread;
    thread.thread = thread_key{std::string{rows.text(row, 2)}, std::string{rows.text(row, 1)}};
    thread.head = rows.integer(row, 3);
    if (!rows.is_null(row, 4)) thread.active = run_id{rows.id(row, 4)};
    thread.changed = rows.moment(row, 5);
    thread.created = rows.moment(row, 6);
    thread.metadata = rows.text(row, 7);
    thread.values = rows.text(row, 8);
    thread.phase = enumerator(rows, row, 9, thread_phase::failed, [&] { return "thread " + thread.thread.thread; });
    return thread;
}

event_page read_event_page(const sql_result& rows, std::uint64_t after)
{
    event_page page;
    if (rows.empty()) {
        page.state = event_log_state::unknown;
        return page;
    }
    page.first = static_cast<std::uint64_t>(rows.integer(0, 0));
    page.last = static_cast<std::uint64_t>(rows.integer(0, 1));
    page.state = state_for_reader(after, page.first, page.last);
    // A run without events behind `after` is one row without an event.
    if (page.state != event_log_state::ok || rows.is_null(0, 2)) return page;
    for (std::size_t row = 0; row < rows.size(); ++row)
        page.events.push_back({static_cast<std::uint64_t>(rows.integer(row, 2)), rows.moment(row, 3),
                               std::string{rows.text(row, 4)}, std::string{rows.text(row, 5)}});
    return page;
}

}  // namespace weft::postgres_detail
