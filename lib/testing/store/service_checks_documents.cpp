#include "store_trial.hpp"

#include <weft/base/json.hpp>

#include <array>

namespace weft::testing::store_trial {

namespace {

using std::chrono::milliseconds;
using document_names = std::vector<std::string>;

document_change change_of(std::string id, std::string body, std::string tenant = std::string{})
{
    document_change change;
    change.key = {"note", std::move(tenant), std::move(id)};
    change.body = std::move(body);
    return change;
}

document_change erasure_of(std::string id)
{
    document_change change;
    change.key = {"note", "", std::move(id)};
    return change;
}

task<void> write_one(service_store_under_test& trial, document_change change, where at = where::current())
{
    std::vector<document_change> changes{std::move(change)};
    const bool written = co_await trial.service().documents().write(std::move(changes));
    expect(written, "a change that expects nothing takes place", at);
}

task<std::optional<stored_document>> read_note(service_store& service, std::string id)
{
    document_key key{"note", "", std::move(id)};
    std::optional<stored_document> found = co_await service.documents().read(std::move(key));
    co_return found;
}

document_names document_ids_of(const std::vector<stored_document>& documents)
{
    document_names ids;
    for (const stored_document& each : documents) ids.push_back(each.key.tenant + each.key.id);
    return ids;
}

document_query notes(std::string contains = "{}")
{
    document_query query;
    query.kind = "note";
    query.contains = std::move(contains);
    return query;
}

task<document_names> found_by(service_store& service, document_query query)
{
    const document_page page = co_await service.documents().search(std::move(query));
    co_return document_ids_of(page.documents);
}

// Read by the other connection each time: what one server writes, all of them see.
task<void> a_document_comes_back_until_it_is_erased(service_store_under_test& trial)
{
    const std::optional<stored_document> none = co_await read_note(trial.service(), "a");
    expect(!none, "an unknown document");
    co_await write_one(trial, change_of("a", R"({"text": "Zoë", "n": [1, 2.5, null]})"));
    const std::optional<stored_document> found = co_await read_note(trial.other(), "a");
    expect(found.has_value(), "a document that was written");
    expect(parse_json(found->body) == parse_json(R"({"n": [1, 2.5, null], "text": "Zoë"})"), "its body");
    expect_equal(found->revision, 1, "its first revision");
    expect(found->created != wall_time{} && found->created == found->changed && !found->due, "its times");
    co_await trial.pass(milliseconds{5});
    co_await write_one(trial, change_of("a", "{}"));
    const std::optional<stored_document> changed = co_await read_note(trial.other(), "a");
    expect_equal(changed->revision, 2, "its second revision");
    expect(changed->created == found->created && changed->changed > found->changed, "times after a change");
    co_await write_one(trial, erasure_of("a"));
    const std::optional<stored_document> gone = co_await read_note(trial.other(), "a");
    expect(!gone, "an erased document");
}

// Of two servers that change a document at once, one learns that it was second, and nothing of its write is left.
task<void> a_change_expects_its_revision(service_store_under_test& trial)
{
    std::vector<document_change> first{change_of("a", "{}")};
    first[0].expected = 0;
    const bool made = co_await trial.service().documents().write(first);
    expect(made, "a document that was not there");
    const bool twice = co_await trial.other().documents().write(first);
    expect(!twice, "it is made once");
    std::vector<document_change> both{change_of("b", "{}"), change_of("a", R"({"n": 2})")};
    both[1].expected = 7;
    const bool wrong = co_await trial.service().documents().write(both);
    expect(!wrong, "a change of another revision");
    const std::optional<stored_document> other = co_await read_note(trial.service(), "b");
    expect(!other, "what goes together with a refused change");
    both[1].expected = 1;
    const bool right = co_await trial.service().documents().write(both);
    expect(right, "changes of the right revision");
    const std::optional<stored_document> second = co_await read_note(trial.other(), "a");
    expect_equal(second->revision, 2, "the revision after it");
    const std::optional<stored_document> beside = co_await read_note(trial.other(), "b");
    expect(beside.has_value(), "what goes together with it");
}

// The place where a page begins is a document, which may have been erased meanwhile.
task<void> documents_are_listed_in_pages_and_orders(service_store_under_test& trial)
{
    for (const char* id : {"b", "d", "a", "c"}) co_await write_one(trial, change_of(id, "{}"));
    document_change elsewhere = change_of("z", "{}", "other");
    co_await write_one(trial, std::move(elsewhere));
    co_await write_one(trial, change_of("d", R"({"n": 1})"));
    document_query query = notes();
    query.tenant = "";
    query.count_max = 3;
    const document_page first = co_await trial.other().documents().search(query);
    expect_equal(document_ids_of(first.documents), document_names{"c", "a", "d"}, "the newest three");
    expect(!first.next.empty(), "another page follows");
    query.after = first.next;
    const document_page second = co_await trial.other().documents().search(query);
    expect_equal(document_ids_of(second.documents), document_names{"b"}, "the last page");
    expect(second.next.empty(), "nothing follows");
    struct order_case {
        list_order order;
        document_names wanted;
    };
    const std::array<order_case, 3> cases{{{list_order::oldest_first, {"b", "d", "a", "c"}},
                                           {list_order::last_changed_first, {"d", "c", "a", "b"}},
                                           {list_order::by_name, {"a", "b", "c", "d"}}}};
    for (const order_case& each : cases) {
        query.order = each.order;
        query.after.clear();
        document_names all;
        do {
            const document_page page = co_await trial.other().documents().search(query);
            for (std::string& id : document_ids_of(page.documents)) all.push_back(std::move(id));
            query.after = page.next;
        } while (!query.after.empty());
        expect_equal(all, each.wanted, "an order over pages");
    }
    document_query everywhere = notes();
    everywhere.order = list_order::by_name;
    const document_names both = co_await found_by(trial.other(), everywhere);
    expect_equal(both, document_names{"a", "b", "c", "d", "otherz"}, "of all tenants");
    const std::size_t count = co_await trial.other().documents().count(notes());
    expect_equal(count, 5, "how many of all tenants");
    everywhere.kind = "nothing";
    const std::size_t none = co_await trial.other().documents().count(everywhere);
    expect_equal(none, 0, "documents of another kind");
}

/** The cases of PostgreSQL's own documentation, and what is easy to get wrong. */
task<void> a_filter_finds_what_contains_it(service_store_under_test& trial)
{
    co_await write_one(trial, change_of("a", R"({"m": {"team": "blue", "size": 3}, "tags": [1, "x", {"k": [1]}]})"));
    co_await write_one(trial, change_of("b", R"({"m": {"team": "red", "size": 3.0}, "tags": [], "none": null})"));
    struct filter_case {
        const char* filter;
        document_names wanted;
    };
    const std::array<filter_case, 13> cases{{
        {R"({})", {"a", "b"}},
        {R"({"m": {"team": "blue"}})", {"a"}},
        {R"({"m": {"size": 3}})", {"a", "b"}},
        {R"({"m": {"size": 3.0, "team": "red"}})", {"b"}},
        {R"({"m": {}})", {"a", "b"}},
        {R"({"m": []})", {}},
        {R"({"tags": ["x"]})", {"a"}},
        {R"({"tags": ["x", "x", 1.0]})", {"a"}},
        {R"({"tags": []})", {"a", "b"}},
        {R"({"tags": "x"})", {}},
        {R"({"tags": [{"k": []}]})", {"a"}},
        {R"({"none": null})", {"b"}},
        {R"({"m": {"team": "BLUE"}})", {}},
    }};
    for (const filter_case& each : cases) {
        document_query query = notes(each.filter);
        query.order = list_order::by_name;
        const document_names found = co_await found_by(trial.other(), query);
        expect_equal(found, each.wanted, each.filter);
        const std::size_t count = co_await trial.other().documents().count(query);
        expect_equal(count, each.wanted.size(), each.filter);
    }
}

// It is lent for a while: a process that dies with it must not keep it.
task<void> what_is_due_is_taken_by_one(service_store_under_test& trial)
{
    serial_loop& loop = co_await this_task::loop();
    const wall_time now = loop.clock().system_now();
    std::vector<document_change> changes{change_of("later", "{}"), change_of("second", "{}"), change_of("first", "{}"),
                                         change_of("never", "{}")};
    changes[0].due = now + std::chrono::hours{1};
    changes[1].due = now - milliseconds{20};
    changes[2].due = now - milliseconds{30};
    const bool written = co_await trial.service().documents().write(std::move(changes));
    expect(written, "documents with a time");
    document_store& other = trial.other().documents();
    document_store& documents = trial.service().documents();
    const std::vector<stored_document> taken = co_await documents.take_due("note", trial.lifetime(), 9);
    expect_equal(document_ids_of(taken), document_names{"first", "second"}, "what is due, the longest first");
    const std::vector<stored_document> none = co_await other.take_due("note", trial.lifetime(), 9);
    expect_equal(document_ids_of(none), document_names{}, "what another one has taken");
    co_await write_one(trial, erasure_of("first"));
    co_await trial.pass(trial.lifetime() + milliseconds{50});
    const std::vector<stored_document> again = co_await other.take_due("note", trial.lifetime(), 1);
    expect_equal(document_ids_of(again), document_names{"second"}, "what its taker has not done");
    std::vector<document_change> done{change_of("second", "{}")};
    done[0].expected = taken[1].revision;
    const bool late = co_await trial.service().documents().write(std::move(done));
    expect(!late, "a taker whose time ran out changes nothing");
}

// Sweeping is done in portions, and one that finds nothing more has to know it.
task<void> what_is_due_can_be_erased(service_store_under_test& trial)
{
    serial_loop& loop = co_await this_task::loop();
    const wall_time now = loop.clock().system_now();
    for (const char* id : {"a", "b", "c"}) {
        document_change change = change_of(id, "{}");
        change.due = now - milliseconds{10};
        co_await write_one(trial, std::move(change));
    }
    co_await write_one(trial, change_of("stays", "{}"));
    document_store& documents = trial.service().documents();
    const std::size_t two = co_await documents.erase_due("note", 2);
    expect_equal(two, 2, "at most two");
    const std::size_t other = co_await documents.erase_due("other", 9);
    expect_equal(other, 0, "of another kind");
    const std::size_t last = co_await documents.erase_due("note", 9);
    expect_equal(last, 1, "the last one");
    const document_names left = co_await found_by(trial.other(), notes());
    expect_equal(left, document_names{"stays"}, "what has no end");
}

// In memory they would be kept, and the same program would fail with a database.
task<void> bodies_that_no_database_keeps_are_refused(service_store_under_test& trial)
{
    document_store& documents = trial.service().documents();
    const auto writing = [&documents](std::string body) {
        std::vector<document_change> changes{change_of("a", std::move(body))};
        return documents.write(std::move(changes));
    };
    co_await expect_error(writing("[1]"), errc::invalid_json, "no object");
    co_await expect_error(writing("{"), errc::invalid_json, "no JSON");
    co_await expect_error(writing(R"({"a": ["\u0000"]})"), errc::invalid_json, "a zero");
    co_await expect_error(writing(R"({"a": ")" + std::string(document_limits::body_bytes_max, 'x') + R"("})"),
                          errc::limit_reached, "a long body");
    co_await expect_error(documents.search(notes("[]")), errc::invalid_json, "a filter that is no object");
    document_query query = notes();
    query.after = "nonsense";
    co_await expect_error(documents.search(query), errc::store_refused, "a cursor of nobody");
    const std::optional<stored_document> none = co_await read_note(trial.service(), "a");
    expect(!none, "what was refused");
}

constexpr std::array<service_store_check, 7> document_check_list{{
    WEFT_STORE_CHECK(a_document_comes_back_until_it_is_erased),
    WEFT_STORE_CHECK(a_change_expects_its_revision),
    WEFT_STORE_CHECK(documents_are_listed_in_pages_and_orders),
    WEFT_STORE_CHECK(a_filter_finds_what_contains_it),
    WEFT_STORE_CHECK(what_is_due_is_taken_by_one),
    WEFT_STORE_CHECK(what_is_due_can_be_erased),
    WEFT_STORE_CHECK(bodies_that_no_database_keeps_are_refused),
}};

}  // namespace

std::span<const service_store_check> document_checks() { return document_check_list; }

}  // namespace weft::testing::store_trial
