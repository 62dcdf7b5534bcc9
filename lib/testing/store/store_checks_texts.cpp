#include "store_trial.hpp"

#include <weft/base/json/json_text.hpp>

#include <algorithm>
#include <array>

namespace weft::testing::store_trial {

namespace {

/** Names that have broken programs. UTF-8 without NUL bytes; byte order is their order. */
const std::vector<std::string>& awkward_names()
{
    static const std::vector<std::string> names = {
        "O'Reilly",  "say \"hi\"", "x'; DROP TABLE checkpoint; --", "x\\'", "100 %", "a_b", "a?b", "$1", ":name",
        "%s %n", "back\\slash", " blank ", "tab\tand\nline", "Zoë", "Zoe\xCC\x88", "日本語", "🙂🙃", "NULL",
        "null",
        "{\"json\": 1}", "<b>&amp;</b>", std::string(512, 'n'), "\x01\x1f",
    };
    return names;
}

/** Bytes of every value, NUL among them, and no UTF-8. */
std::string all_bytes()
{
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
    return bytes;
}

// Names of threads and tenants come from outside: none is a pattern, a path or a piece of a statement.
task<void> names_are_only_names(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    for (const std::string& name : awkward_names()) {
        const worker_id worker = co_await store.enter(name, long_lifetime);
        const thread_key thread{name, name};
        const run_id id = co_await new_run_id();
        new_run run{thread, id};
        run.graph_named(name).with_input(name).with_idempotency_key(name).started_by(worker);
        const run_admission admission = co_await store.enqueue(std::move(run));
        expect_equal(admission.what, run_admission::kind::started, "a run of the thread " + show(name));
        expect_equal(admission.claim->graph, name, "graph");
        expect_equal(admission.claim->input, name, "input");
        holder by;
        by.worker = worker;
        by.fence = admission.claim->fence;
        checkpoint_draft draft = co_await draft_of(name);
        draft.node = draft.graph = draft.label = name;
        draft.graph_hash = name;
        co_await commit(store, by, std::move(draft));
        const std::string json = to_json_text(boost::json::value(name));
        const effect_record effect{name, effect_phase::done, name, json};
        const write_state recorded = co_await store.record(by.fence, effect);
        expect_equal(recorded, write_state::ok, "an effect at " + show(name));
        const question_record question{name, json};
        const write_state asked = co_await store.ask(by.fence, question);
        expect_equal(asked, write_state::ok, "a question at " + show(name));
        const answer_state answered = co_await trial.other().answer(thread, name, json);
        expect_equal(answered, answer_state::accepted, "an answer at " + show(name));

        const std::optional<checkpoint> came = co_await trial.other().load(thread, std::nullopt);
        expect(came.has_value(), "a checkpoint of the thread " + show(name));
        expect_equal(came->body, name, "body");
        expect_equal(came->node, name, "node");
        expect_equal(came->graph, name, "graph");
        expect_equal(came->graph_hash, name, "graph hash");
        expect_equal(came->label, name, "label");
        const std::vector<effect_record> effects = co_await trial.other().effects(thread);
        expect_equal(effects.size(), 1, "effects");
        expect_equal(effects[0].address, name, "address");
        expect_equal(effects[0].key, name, "key");
        expect_equal(effects[0].body, json, "body of an effect");
        const std::vector<question_record> questions = co_await trial.other().questions(thread);
        expect_equal(questions.size(), 1, "questions");
        expect_equal(questions[0].answer, json, "answer");
        const run_outcome outcome{run_phase::failed, name};
        static_cast<void>(co_await store.finish(by.fence, outcome));
        const std::optional<run_record> record = co_await trial.other().find_run(id);
        expect_equal(record->message, name, "message");
    }
}

// A thread that can be written must also be found again, and removed.
task<void> awkward_threads_are_listed_and_dropped(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    for (const std::string& name : awkward_names())
        static_cast<void>(co_await enqueue_ready(store, thread_key{name, "a'b\"%"}));
    std::vector<std::string> wanted = awkward_names();
    std::sort(wanted.begin(), wanted.end());
    std::vector<std::string> came;
    std::string after;
    for (;;) {
        const std::vector<thread_summary> page = co_await trial.other().threads("a'b\"%", after, 5);
        if (page.empty()) break;
        for (const thread_summary& each : page) came.push_back(each.thread.thread);
        after = came.back();
        expect(came.size() <= wanted.size(), "pages come to an end");
    }
    expect_equal(came, wanted, "awkward names in byte order");
    for (const std::string& name : awkward_names()) {
        const bool dropped = co_await store.drop(thread_key{name, "a'b\"%"});
        expect(dropped, "the thread " + show(name) + " can be dropped");
    }
    const std::vector<thread_summary> none = co_await store.threads("a'b\"%", "", 5);
    expect_equal(none.size(), 0, "threads when all are dropped");
}

// Checkpoints are binary, and may be sealed: no byte ends them or is read as a character.
task<void> bytes_are_only_bytes(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    const std::string nul(1, '\0');
    const std::vector<std::string> texts = {
        std::string{}, nul, all_bytes(), "a" + nul, std::string(1 << 20, '\xff'), std::string(1 << 20, 'x'),
    };
    for (const std::string& text : texts) {
        checkpoint_draft draft = co_await draft_of(text);
        const blob each = blob_of(store, text);
        draft.blobs = {each};
        draft.links = {each.hash};
        co_await commit(store, by, std::move(draft));
        const std::optional<checkpoint> came = co_await trial.other().load(thread_key{"t"}, std::nullopt);
        expect(came && came->body == text, "a body of " + std::to_string(text.size()) + " bytes comes back");
        std::vector<content_hash> hashes{each.hash};
        const std::vector<blob> blobs = co_await trial.other().read_blobs(thread_key{"t"}, std::move(hashes));
        expect(blobs.size() == 1 && blobs[0].bytes == text,
               "a blob of " + std::to_string(text.size()) + " bytes comes back");
    }
}

// Databases move long values to other pages; those are read by other code.
task<void> long_texts_come_back(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const std::string text = "\"" + std::string(1 << 20, 'x') + "\"";
    const std::string address(store_limits::address_bytes_max, 'a');
    const worker_id worker = co_await enter(store);
    const run_id id = co_await new_run_id();
    new_run run{thread_key{"t"}, id};
    run.with_input(text).started_by(worker);
    const run_admission admission = co_await store.enqueue(std::move(run));
    expect(admission.claim && admission.claim->input == text, "an input of a megabyte");
    const effect_record effect{address, effect_phase::done, "", text};
    const write_state recorded = co_await store.record(admission.claim->fence, effect);
    expect_equal(recorded, write_state::ok, "an effect of a megabyte");
    const question_record question{address, text};
    const write_state asked = co_await store.ask(admission.claim->fence, question);
    expect_equal(asked, write_state::ok, "a question of a megabyte");
    const answer_state answered = co_await store.answer(thread_key{"t"}, address, text);
    expect_equal(answered, answer_state::accepted, "an answer of a megabyte");
    const std::vector<effect_record> effects = co_await trial.other().effects(thread_key{"t"});
    expect(effects.size() == 1 && effects[0].body == text && effects[0].address == address, "the effect comes back");
    const std::vector<question_record> questions = co_await trial.other().questions(thread_key{"t"});
    expect(questions.size() == 1 && questions[0].question == text && questions[0].answer == text,
           "the question and its answer come back");
}

// By an error, before anything is written: a database that cuts texts short would mix threads up.
task<void> what_is_too_long_is_refused(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    const std::string name(store_limits::name_bytes_max + 1, 'n');
    const std::string address(store_limits::address_bytes_max + 1, 'a');
    const std::string text(store_limits::text_bytes_max + 1, 'x');
    const run_id id = co_await new_run_id();
    co_await expect_error(store.enqueue(new_run{thread_key{name}, id}), errc::limit_reached, "a long thread");
    const thread_key of_long_tenant{"t", name};
    co_await expect_error(store.enqueue(new_run{of_long_tenant, id}), errc::limit_reached, "a long tenant");
    new_run with_key{thread_key{"u"}, id};
    with_key.with_idempotency_key(name);
    co_await expect_error(store.enqueue(with_key), errc::limit_reached, "a long idempotency key");
    new_run with_input{thread_key{"u"}, id};
    with_input.with_input(text);
    co_await expect_error(store.enqueue(with_input), errc::limit_reached, "a long input");
    co_await commit_body(store, by, "one");
    co_await expect_error(store.label(thread_key{"t"}, 1, name), errc::limit_reached, "a long label");
    const effect_record far_effect{address, effect_phase::done, "", "{}"};
    co_await expect_error(store.record(by.fence, far_effect), errc::limit_reached, "a long address");
    const effect_record long_effect{"a", effect_phase::done, "", text};
    co_await expect_error(store.record(by.fence, long_effect), errc::limit_reached, "a long effect");
    const question_record long_question{"a", text};
    co_await expect_error(store.ask(by.fence, long_question), errc::limit_reached, "a long question");
    checkpoint_draft draft = co_await draft_of(text);
    co_await expect_error(store.commit(by.fence, std::move(draft)), errc::limit_reached, "a long body");
    draft = co_await draft_of("with a long blob");
    const blob long_blob = blob_of(store, text);
    draft.blobs = {long_blob};
    co_await expect_error(store.commit(by.fence, std::move(draft)), errc::limit_reached, "a long blob");
    draft = co_await draft_of("with many blobs");
    std::string bytes(store_limits::text_bytes_max, 'b');
    for (char c = 'a'; c < 'j'; ++c) {
        bytes.front() = c;
        draft.blobs.push_back(blob_of(store, bytes));
    }
    co_await expect_error(store.commit(by.fence, std::move(draft)), errc::limit_reached, "a long commit");
    const std::int64_t head = co_await head_of(store, thread_key{"t"});
    expect_equal(head, 1, "head after what was refused");
    co_await commit_body(store, by, "two");
}

constexpr std::array<store_check, 5> text_check_list{{
    WEFT_STORE_CHECK(names_are_only_names),
    WEFT_STORE_CHECK(awkward_threads_are_listed_and_dropped),
    WEFT_STORE_CHECK(bytes_are_only_bytes),
    WEFT_STORE_CHECK(long_texts_come_back),
    WEFT_STORE_CHECK(what_is_too_long_is_refused),
}};

}  // namespace

std::span<const store_check> text_checks() { return text_check_list; }

}  // namespace weft::testing::store_trial
