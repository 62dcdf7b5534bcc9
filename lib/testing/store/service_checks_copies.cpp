#include "store_trial.hpp"

#include <weft/base/json.hpp>

#include <array>

namespace weft::testing::store_trial {

namespace {

// By the other connection, so that what a copy leaves is seen where it was not made.
task<bool> copied(service_store_under_test& trial, thread_key from, thread_key to, checkpoint_id id)
{
    const bool made = co_await trial.other().threads().copy(std::move(from), std::move(to), id);
    co_return made;
}

// The copy is shown in the same lists as the thread that it came from.
task<void> a_thread_is_copied_with_its_state_and_what_was_noted(service_store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const thread_key source{"source", "acme"};
    const thread_key copy{"copy", "acme"};
    holder by = co_await hold(store, source);
    checkpoint_draft draft = co_await draft_of("the state");
    const blob first = blob_of(store, "a blob");
    draft.links = {first.hash};
    draft.blobs = {first};
    co_await commit(store, by, std::move(draft));
    co_await commit_body(store, by, "the newest state");
    thread_change noted;
    noted.metadata = R"({"user": "ann"})";
    noted.values = R"({"topic": "rain"})";
    const bool changed = co_await trial.service().threads().update(source, noted);
    expect(changed, "the source is described");

    const checkpoint_id id = co_await new_checkpoint_id();
    const bool made = co_await copied(trial, source, copy, id);
    expect(made, "a copy of a thread that is there");
    const std::optional<stored_thread> found = co_await trial.service().threads().find(copy);
    expect(found && found->head == 1 && !found->active, "it has one checkpoint and no run");
    expect(parse_json(found->metadata) == parse_json(R"({"user": "ann"})"), "its metadata");
    expect(parse_json(found->values) == parse_json(R"({"topic": "rain"})"), "its values");
    const std::optional<checkpoint> newest = co_await store.load(copy, std::nullopt);
    expect(newest && newest->body == "the newest state" && newest->id == id, "its checkpoint is the newest one");

    const checkpoint_id another = co_await new_checkpoint_id();
    const bool twice = co_await copied(trial, source, copy, another);
    expect(!twice, "a thread with a history is not overwritten");
    const bool used = co_await copied(trial, source, thread_key{"third", "acme"}, id);
    expect(!used, "an id that is in use");
    const std::optional<stored_thread> third = co_await trial.service().threads().find(thread_key{"third", "acme"});
    expect(!third, "nothing is made of a copy that is refused");
    const bool unknown = co_await copied(trial, thread_key{"none", "acme"}, thread_key{"third", "acme"}, another);
    expect(!unknown, "a thread that is not there");
    co_await expect_error(copied(trial, source, thread_key{"copy", "other"}, another), errc::store_refused,
                          "a copy for another tenant");
}

// It has metadata that a client has set, and no checkpoint to copy.
task<void> a_thread_without_history_is_copied_too(service_store_under_test& trial)
{
    const bool made = co_await trial.service().threads().create(thread_key{"a"}, R"({"n": 1})");
    expect(made, "a thread is made");
    const bool there = co_await trial.service().threads().create(thread_key{"b"}, R"({"n": 2})");
    expect(there, "a thread that is overwritten");
    const checkpoint_id id = co_await new_checkpoint_id();
    const bool overwritten = co_await copied(trial, thread_key{"a"}, thread_key{"b"}, id);
    expect(overwritten, "a copy onto a thread without history");
    const std::optional<stored_thread> found = co_await trial.service().threads().find(thread_key{"b"});
    expect(found && found->head == 0, "it has no history");
    expect(parse_json(found->metadata) == parse_json(R"({"n": 1})"), "its metadata");
    const bool itself = co_await copied(trial, thread_key{"a"}, thread_key{"a"}, id);
    expect(!itself, "a copy onto itself");
}

constexpr std::array<service_store_check, 2> copy_check_list{{
    WEFT_STORE_CHECK(a_thread_is_copied_with_its_state_and_what_was_noted),
    WEFT_STORE_CHECK(a_thread_without_history_is_copied_too),
}};

}  // namespace

std::span<const service_store_check> copy_checks() { return copy_check_list; }

}  // namespace weft::testing::store_trial
