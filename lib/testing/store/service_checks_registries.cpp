#include "store_trial.hpp"

#include <weft/base/json.hpp>
#include <weft/store/service/api_key_table.hpp>
#include <weft/store/service/audit_log.hpp>
#include <weft/store/service/cron_table.hpp>

#include <array>

namespace weft::testing::store_trial {

namespace {

api_key key_named(char digit, std::string tenant)
{
    api_key made;
    made.hash = std::string(64, digit);
    made.tenant = std::move(tenant);
    made.name = "the nightly job";
    made.metadata = R"({"may": ["run"]})";
    return made;
}

// A revoked key must be of no use at once, in all processes that share the store.
task<void> an_api_key_is_found_by_its_hash_until_it_is_revoked(service_store_under_test& trial)
{
    api_key_table keys{trial.service().documents()};
    api_key_table elsewhere{trial.other().documents()};
    api_key made = key_named('a', "acme");
    const std::string hash = made.hash;
    const bool added = co_await keys.add(made);
    expect(added, "a key that was not there");
    made.tenant = "other";
    const bool twice = co_await elsewhere.add(std::move(made));
    expect(!twice, "a hash is added once");
    const std::optional<api_key> found = co_await elsewhere.find(hash);
    expect(found && found->tenant == "acme" && found->name == "the nightly job", "whose key it is");
    expect(parse_json(found->metadata) == parse_json(R"({"may": ["run"]})"), "its metadata");
    const std::optional<api_key> unknown = co_await keys.find(std::string(64, 'b'));
    expect(!unknown, "a key that was never added");
    const bool foreign = co_await keys.revoke("other", hash);
    expect(!foreign, "another tenant does not revoke it");
    const bool revoked = co_await elsewhere.revoke("acme", hash);
    expect(revoked, "its tenant revokes it");
    const std::optional<api_key> gone = co_await keys.find(hash);
    expect(!gone, "a revoked key");
}

// A store that had keys would hand them to any reader of a backup.
task<void> an_api_key_itself_is_refused(service_store_under_test& trial)
{
    api_key_table keys{trial.service().documents()};
    api_key plain = key_named('a', "acme");
    plain.hash = "wk_live_9f8e7d6c";
    co_await expect_error(keys.add(plain), errc::invalid_configuration, "a key in place of its hash");
    co_await expect_error(keys.find(plain.hash), errc::invalid_configuration, "a search by a key");
}

// The list of one tenant says nothing of another, not even how many keys there are.
task<void> api_keys_end_and_are_listed_by_tenant(service_store_under_test& trial)
{
    api_key_table keys{trial.service().documents()};
    const serial_loop& loop = co_await this_task::loop();
    api_key brief = key_named('1', "acme");
    brief.expires = loop.clock().system_now() + trial.lifetime();
    const std::string ends = brief.hash;
    static_cast<void>(co_await keys.add(std::move(brief)));
    static_cast<void>(co_await keys.add(key_named('2', "acme")));
    static_cast<void>(co_await keys.add(key_named('3', "other")));
    const api_key_page first = co_await keys.list("acme", std::string{}, 1);
    expect(first.keys.size() == 1 && first.keys[0].hash == std::string(64, '2'), "the newest key of the tenant");
    const api_key_page second = co_await keys.list("acme", first.next, 1);
    expect(second.keys.size() == 1 && second.keys[0].expires.has_value(), "the next page");
    expect(second.next.empty(), "nothing follows");
    co_await trial.pass(trial.lifetime() + std::chrono::milliseconds{50});
    const std::optional<api_key> over = co_await keys.find(ends);
    expect(!over, "a key whose end has come lets no client in");
    const std::size_t swept = co_await keys.sweep(10);
    expect_equal(swept, 1, "keys that are removed");
}

// It is read when something went wrong, by time and by person.
task<void> the_audit_log_keeps_who_did_what(service_store_under_test& trial)
{
    audit_log audit{trial.service().documents()};
    for (const char* actor : {"ann", "bob", "ann"}) {
        audit_entry entry;
        entry.tenant = "acme";
        entry.actor = actor;
        entry.action = "run.cancel";
        entry.target = "run 7";
        entry.detail = R"({"why": "late"})";
        co_await audit.add(std::move(entry), std::nullopt);
    }
    audit_entry brief;
    brief.tenant = "other";
    brief.actor = "ann";
    brief.action = "key.add";
    co_await audit.add(std::move(brief), trial.lifetime());

    audit_log elsewhere{trial.other().documents()};
    audit_query query;
    query.tenant = "acme";
    query.actor = "ann";
    query.count_max = 1;
    const audit_page first = co_await elsewhere.search(query);
    expect(first.entries.size() == 1 && !first.next.empty(), "a page of the entries of one actor");
    expect(first.entries[0].target == "run 7" && first.entries[0].at != wall_time{}, "what an entry says");
    expect(parse_json(first.entries[0].detail) == parse_json(R"({"why": "late"})"), "its detail");
    query.after = first.next;
    const audit_page second = co_await elsewhere.search(query);
    expect(second.entries.size() == 1 && second.next.empty(), "equal entries are two");
    audit_query of_keys;
    of_keys.action = "key.add";
    const audit_page keys = co_await elsewhere.search(of_keys);
    expect(keys.entries.size() == 1 && keys.entries[0].tenant == "other", "by action, of all tenants");
    co_await trial.pass(trial.lifetime() + std::chrono::milliseconds{50});
    const std::size_t swept = co_await audit.sweep(10);
    expect_equal(swept, 1, "entries whose life is over");
}

/** Such a moment as all stores keep, in microseconds. */
task<wall_time> second_from_now(std::int64_t seconds)
{
    const serial_loop& loop = co_await this_task::loop();
    co_return std::chrono::floor<std::chrono::microseconds>(loop.clock().system_now()) +
        std::chrono::seconds{seconds};
}

cron cron_named(std::string id)
{
    cron made;
    made.tenant = "acme";
    made.id = std::move(id);
    made.graph = "digest";
    made.schedule = "30 9 * * mon-fri";
    made.time_zone = "Europe/Berlin";
    made.input = R"({"topic": "rain"})";
    made.metadata = R"({"team": "blue"})";
    return made;
}

// A cron outlives the process that made it, and is changed by another one.
task<void> a_cron_is_made_changed_and_found(service_store_under_test& trial)
{
    cron_table crons{trial.service().documents()};
    cron_table elsewhere{trial.other().documents()};
    cron made = cron_named("a");
    made.next = co_await second_from_now(3'600);
    made.end = co_await second_from_now(7'200);
    const bool created = co_await crons.create(made);
    expect(created, "a cron that was not there");
    const bool twice = co_await elsewhere.create(made);
    expect(!twice, "a cron is made once");
    std::optional<cron> found = co_await elsewhere.find("acme", "a");
    expect(found && found->graph == "digest" && found->schedule == made.schedule && found->is_enabled, "what it says");
    expect(found->time_zone == "Europe/Berlin" && found->next == made.next && found->end == made.end, "its times");
    expect(parse_json(found->input) == parse_json(made.input), "its input");
    found->thread = "t";
    const cron stale = *found;
    const bool changed = co_await crons.update(*found);
    expect(changed, "a change of a cron as it is");
    const bool late = co_await elsewhere.update(stale);
    expect(!late, "a change of a cron as it was");
    static_cast<void>(co_await crons.create(cron_named("b")));
    cron_query query;
    query.metadata_contains = R"({"team": "blue"})";
    query.thread = "t";
    const cron_page page = co_await elsewhere.search(query);
    expect(page.crons.size() == 1 && page.crons[0].id == "a", "crons of a thread");
    query.thread.reset();
    const std::size_t both = co_await elsewhere.count(query);
    expect_equal(both, 2, "crons by metadata");
    const bool erased = co_await elsewhere.erase("acme", "a");
    expect(erased, "an erasure");
    const bool again = co_await crons.update(*found);
    expect(!again, "an erased cron is not made again by a change");
}

// All processes look at the same moment; one that dies in between must not take the cron with it.
task<void> a_due_cron_is_taken_by_one_process_until_it_ran(service_store_under_test& trial)
{
    cron_table crons{trial.service().documents()};
    cron_table elsewhere{trial.other().documents()};
    cron due = cron_named("due");
    due.next = co_await second_from_now(-10);
    cron disabled = due;
    disabled.id = "disabled";
    disabled.is_enabled = false;
    cron over = due;
    over.id = "over";
    over.end = co_await second_from_now(-20);
    for (const cron* each : {&due, &disabled, &over}) static_cast<void>(co_await crons.create(*each));

    const std::vector<cron> taken = co_await crons.take(trial.lifetime(), 10);
    expect_equal(taken.size(), 1, "crons that are due, enabled and not over");
    expect(taken[0].id == "due" && taken[0].next == due.next, "the moment it was due");
    co_await trial.pass(trial.lifetime() + std::chrono::milliseconds{50});
    // The process that took it seems to have died.
    const std::vector<cron> next_taken = co_await elsewhere.take(long_lifetime, 10);
    expect(next_taken.size() == 1 && next_taken[0].next == due.next, "another process takes it for the same moment");
    const std::optional<wall_time> later = co_await second_from_now(86'400);
    const bool slow = co_await crons.ran(taken[0], later);
    expect(!slow, "the first process does not have it any more");
    const bool ran = co_await elsewhere.ran(next_taken[0], later);
    expect(ran, "the second process has it");
    const std::optional<cron> found = co_await crons.find("acme", "due");
    expect(found && found->next == later, "its next moment");
}

constexpr std::array<service_store_check, 6> registry_check_list{{
    WEFT_STORE_CHECK(an_api_key_is_found_by_its_hash_until_it_is_revoked),
    WEFT_STORE_CHECK(an_api_key_itself_is_refused),
    WEFT_STORE_CHECK(api_keys_end_and_are_listed_by_tenant),
    WEFT_STORE_CHECK(the_audit_log_keeps_who_did_what),
    WEFT_STORE_CHECK(a_cron_is_made_changed_and_found),
    WEFT_STORE_CHECK(a_due_cron_is_taken_by_one_process_until_it_ran),
}};

}  // namespace

std::span<const service_store_check> registry_checks() { return registry_check_list; }

}  // namespace weft::testing::store_trial
