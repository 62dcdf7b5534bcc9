#include "store_trial.hpp"

#include <weft/base/json.hpp>
#include <weft/store/service/item_directory.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>

namespace weft::testing {

namespace {

using store_trial::expect;
using store_trial::expect_equal;
using store_trial::expect_error;
using std::chrono::milliseconds;

const std::optional<milliseconds> for_ever;

/** The names of a path such as "a/b". */
std::vector<std::string> space_of(std::string_view path)
{
    std::vector<std::string> names;
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/'), path.size());
        names.emplace_back(path.substr(0, end));
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return names;
}

item_key key_of(std::string_view path, std::string name) { return item_key{space_of(path), std::move(name)}; }

std::vector<std::string> item_names(const std::vector<stored_item>& items)
{
    std::vector<std::string> names;
    for (const stored_item& each : items) {
        std::string name;
        for (const std::string& part : each.key.space) name += part + "/";
        names.push_back(name + each.key.name);
    }
    return names;
}

task<void> put_text(item_store& store, item_key key, const char* text)
{
    boost::json::value value(text);
    co_await store.put("tenant", std::move(key), std::move(value), for_ever);
}

// By either connection.
task<void> an_item_comes_back_until_it_is_erased(item_store_under_test& trial)
{
    const item_key key{{"users", "42"}, "facts"};
    const std::optional<stored_item> none = co_await trial.store().get("tenant", key);
    expect(!none, "an unknown item is not there");
    const boost::json::value value = {{"name", "Zoë"}, {"likes", {1, 2.5, nullptr, true}}, {"empty", ""}};
    co_await trial.store().put("tenant", key, value, for_ever);
    const std::optional<stored_item> came = co_await trial.other().get("tenant", key);
    expect(came.has_value(), "an item that was put is there");
    expect(came->key == key, "its key");
    expect(came->value == value, "its value");
    expect(!came->expires, "an item without a lifetime has no end");
    expect(came->created != wall_time{} && came->changed >= came->created, "the moments of its making and change");
    const bool erased = co_await trial.other().erase("tenant", key);
    expect(erased, "an item that is there can be erased");
    const std::optional<stored_item> gone = co_await trial.store().get("tenant", key);
    expect(!gone, "an erased item is gone");
    const bool twice = co_await trial.store().erase("tenant", key);
    expect(!twice, "an erased item cannot be erased");
}

// By the other connection, with another type and another lifetime: nothing of the first item is left but its birth.
task<void> an_item_takes_the_place_of_the_one_before(item_store_under_test& trial)
{
    const item_key key{{"a"}, "x"};
    co_await trial.store().put("tenant", key, boost::json::value(1), trial.lifetime());
    const std::optional<stored_item> first = co_await trial.store().get("tenant", key);
    expect(first && first->expires.has_value(), "an item with a lifetime has an end");
    co_await trial.pass(milliseconds{20});
    co_await trial.other().put("tenant", key, boost::json::value("two"), for_ever);
    const std::optional<stored_item> second = co_await trial.store().get("tenant", key);
    expect(second && second->value == boost::json::value("two"), "the value that was put last");
    expect(!second->expires, "the lifetime that was put last");
    expect(second->created == first->created, "the moment of its making stays");
    expect(second->changed > first->changed, "the moment of its change moves on");
}

// Exactly then, whether or not it was swept: what nodes remember must not depend on how often a program cleans up.
task<void> an_item_ends_with_its_lifetime(item_store_under_test& trial)
{
    const item_key short_lived{{"a"}, "short"};
    const item_key long_lived{{"a"}, "long"};
    co_await trial.store().put("tenant", short_lived, boost::json::value(1), trial.lifetime());
    co_await trial.store().put("tenant", long_lived, boost::json::value(2), std::chrono::hours{24});
    const std::optional<stored_item> before = co_await trial.other().get("tenant", short_lived);
    expect(before.has_value(), "an item is there during its lifetime");
    expect(*before->expires - before->changed == trial.lifetime(), "its end is its lifetime from its change");
    const std::size_t early = co_await trial.store().sweep(10);
    expect_equal(early, 0, "items swept before the end of any");
    co_await trial.pass(trial.lifetime() + milliseconds{50});
    const std::optional<stored_item> after = co_await trial.other().get("tenant", short_lived);
    expect(!after, "an item whose end has come is not there");
    const std::vector<stored_item> listed = co_await trial.store().list("tenant", space_of("a"), std::nullopt, 10);
    expect_equal(item_names(listed), std::vector<std::string>{"a/long"}, "items that are listed");
    const bool erased = co_await trial.store().erase("tenant", short_lived);
    expect(!erased, "an item whose end has come cannot be erased");
}

// Of all tenants, a portion at a time, so that a store which many use is never locked for long.
task<void> sweeping_removes_what_has_ended(item_store_under_test& trial)
{
    for (int i = 0; i < 5; ++i) {
        const item_key key{{"a"}, std::to_string(i)};
        const std::string tenant = "tenant " + std::to_string(i % 2);
        co_await trial.store().put(tenant, key, boost::json::value(i), trial.lifetime());
    }
    co_await put_text(trial.store(), key_of("a", "stays"), "x");
    co_await trial.pass(trial.lifetime() + milliseconds{50});
    const std::size_t two = co_await trial.other().sweep(2);
    expect_equal(two, 2, "items swept of at most two");
    const std::size_t rest = co_await trial.store().sweep(10);
    expect_equal(rest, 3, "items swept of the rest");
    const std::size_t none = co_await trial.store().sweep(10);
    expect_equal(none, 0, "items swept when all is clean");
    const std::optional<stored_item> kept = co_await trial.store().get("tenant", key_of("a", "stays"));
    expect(kept.has_value(), "an item without an end stays");
}

// "ab" is no namespace below "a", as a comparison of texts from their beginning would have it.
task<void> items_are_listed_by_namespace_in_pages(item_store_under_test& trial)
{
    item_store& store = trial.store();
    co_await put_text(store, key_of("a", "2"), "");
    co_await put_text(store, key_of("a", "1"), "");
    co_await put_text(store, key_of("a/b", "3"), "");
    co_await put_text(store, key_of("a/b/c", "4"), "");
    co_await put_text(store, key_of("ab", "5"), "");
    co_await put_text(store, key_of("b", "6"), "");
    co_await put_text(store, key_of("", "7"), "");
    co_await store.put("another", key_of("a", "8"), boost::json::value(8), for_ever);

    const std::vector<std::string> wanted = {"a/1", "a/2", "a/b/3", "a/b/c/4"};
    std::vector<std::string> below;
    const std::vector<stored_item> listed = co_await trial.other().list("tenant", space_of("a"), std::nullopt, 10);
    below = item_names(listed);
    std::vector<std::string> sorted = below;
    std::sort(sorted.begin(), sorted.end());
    expect_equal(sorted, wanted, "items of a namespace and of those below it");
    const std::vector<stored_item> deep = co_await store.list("tenant", space_of("a/b/c"), std::nullopt, 10);
    expect_equal(item_names(deep), std::vector<std::string>{"a/b/c/4"}, "items of a deep namespace");
    const std::vector<stored_item> none = co_await store.list("tenant", space_of("c"), std::nullopt, 10);
    expect_equal(none.size(), 0, "items of an unknown namespace");
    const std::vector<stored_item> all = co_await store.list("tenant", space_of(""), std::nullopt, 100);
    expect_equal(all.size(), 7, "items of a tenant");

    std::vector<std::string> paged;
    std::optional<item_key> after;
    for (int i = 0; i < 10; ++i) {
        const std::vector<stored_item> page = co_await store.list("tenant", space_of("a"), after, 3);
        if (page.empty()) break;
        expect(page.size() <= 3, "a page has at most as many as asked for");
        for (const std::string& name : item_names(page)) paged.push_back(name);
        after = page.back().key;
    }
    expect_equal(paged, below, "pages put together");
}

// Parts of a namespace come from people and models: separators, quotes and wildcards in them mean nothing.
task<void> item_names_are_only_names(item_store_under_test& trial)
{
    const std::vector<std::string> names = {"O'Reilly", "\"", "x'; DROP TABLE item; --", "%", "_", "a/b", "a.b", "日本",
                                            "back\\slash", " ", "🙂", "NULL", "{}", "[\"a\",\"b\"]", "$1"};
    for (const std::string& name : names) {
        const item_key key{{name, name}, name};
        boost::json::value value(name);
        co_await trial.store().put(name, key, std::move(value), for_ever);
    }
    for (const std::string& name : names) {
        const std::vector<std::string> space{name};
        const std::vector<stored_item> found = co_await trial.other().list(name, space, std::nullopt, 10);
        expect_equal(found.size(), 1, "items of the tenant and namespace " + store_trial::show(name));
        expect_equal(found[0].key.name, name, "name of an item");
        expect(found[0].value == boost::json::value(name), "value of an item");
        const item_key key{{name, name}, name};
        const bool erased = co_await trial.store().erase(name, key);
        expect(erased, "the item " + store_trial::show(name) + " can be erased");
    }
    const item_key unnamed{{"a"}, ""};
    co_await put_text(trial.store(), unnamed, "x");
    const std::optional<stored_item> found = co_await trial.other().get("tenant", unnamed);
    expect(found.has_value(), "an item with an empty name is there");
}

// A tenant that chose its parts well could else read the items of another one.
task<void> a_path_cannot_pass_for_another(item_store_under_test& trial)
{
    const std::vector<item_key> keys = {item_key{{"a", "b"}, "c"}, item_key{{"a"}, "b/c"}, item_key{{"a/b"}, "c"},
                                        item_key{{"a"}, "b"}, item_key{{"a", "b"}, ""}, item_key{{}, "a"}};
    for (std::size_t i = 0; i < keys.size(); ++i)
        co_await trial.store().put("tenant", keys[i], boost::json::value(i), for_ever);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::optional<stored_item> found = co_await trial.store().get("tenant", keys[i]);
        expect(found && found->value == boost::json::value(i), "each key has its own item");
    }
}

// All stores have the bound of the narrowest, so that a program can change its store.
task<void> keys_that_are_too_long_are_refused(item_store_under_test& trial)
{
    item_store& store = trial.store();
    const std::string longest(store_limits::name_bytes_max, 'n');
    const std::vector<std::string> deepest(16, "a");
    co_await put_text(store, item_key{deepest, longest}, "x");
    const std::optional<stored_item> found = co_await store.get("tenant", item_key{deepest, longest});
    expect(found.has_value(), "the longest and deepest key");
    co_await expect_error(put_text(store, key_of("a", longest + "n"), "x"), errc::limit_reached, "a long name");
    co_await expect_error(put_text(store, key_of(longest + "n", "a"), "x"), errc::limit_reached,
                          "a long name in a namespace");
    const std::vector<std::string> too_deep(17, "a");
    co_await expect_error(put_text(store, item_key{too_deep, "a"}, "x"), errc::limit_reached, "a deep namespace");
    const item_key nameless{{"a", ""}, "a"};
    co_await expect_error(put_text(store, nameless, "x"), errc::limit_reached,
                          "an empty name in a namespace");
    const std::string text(store_limits::text_bytes_max, 'x');
    co_await expect_error(put_text(store, key_of("a", "a"), text.c_str()), errc::limit_reached, "a long value");
}

/** Numbers as `serialize` writes them, read exactly: a reader that is off by the last bit changes every tenth. */
task<void> numbers_come_back_as_they_were(item_store_under_test& trial)
{
    std::mt19937_64 random{20'261'123};
    boost::json::array numbers;
    while (numbers.size() < 500) {
        const auto number = std::bit_cast<double>(random());
        if (std::isfinite(number)) numbers.emplace_back(number);
    }
    const item_key key = key_of("a", "numbers");
    boost::json::value value(numbers);
    co_await trial.store().put("tenant", key, std::move(value), for_ever);
    const std::optional<stored_item> found = co_await trial.other().get("tenant", key);
    expect(found && found->value.is_array() && found->value.get_array().size() == numbers.size(), "the list is there");
    for (std::size_t i = 0; i < numbers.size(); ++i)
        expect(found->value.get_array()[i] == numbers[i], "each number is the one that was put");
}

task<void> put_fact(item_store& store, std::string_view path, std::string name, const char* json)
{
    boost::json::value value = parse_json(json);
    co_await store.put("tenant", key_of(path, std::move(name)), std::move(value), for_ever);
}

// The same by each store, in memory or by an index of a database.
task<void> items_are_found_by_what_they_contain(item_store_under_test& trial)
{
    item_store& store = trial.store();
    co_await put_fact(store, "users/1", "tea", R"({"likes": "tea", "n": 1})");
    co_await put_fact(store, "users/1", "rain", R"({"likes": "rain"})");
    co_await put_fact(store, "users/2", "tea", R"({"likes": "tea", "n": 2})");
    co_await put_fact(store, "users/2", "text", R"("tea")");
    co_await put_fact(store, "others", "tea", R"({"likes": "tea"})");
    item_directory directory{trial.other()};
    item_query query;
    query.tenant = "tenant";
    query.space = {"users"};
    query.contains = R"({"likes": "tea"})";
    query.count_max = 1;
    std::vector<std::string> found;
    do {
        const item_page page = co_await directory.search(query);
        for (const std::string& name : item_names(page.items)) found.push_back(name);
        expect(found.size() < 100, "pages come to an end");
        query.after = page.next;
    } while (query.after);
    expect_equal(found, std::vector<std::string>{"users/1/tea", "users/2/tea"}, "items with a member, page by page");
    query.contains = "{}";
    query.count_max = 100;
    const item_page all = co_await directory.search(query);
    expect(all.items.size() == 4 && !all.next, "all of a namespace");
    query.contains = "[1]";
    co_await expect_error(directory.search(query), errc::invalid_json, "a filter that is no object");
}

task<std::vector<std::string>> spaces_found(item_store_under_test& trial, item_space_query query)
{
    item_directory directory{trial.other()};
    std::vector<std::string> found;
    do {
        const item_space_page page = co_await directory.spaces(query);
        for (const std::vector<std::string>& space : page.spaces) {
            std::string path;
            for (const std::string& name : space) path += "/" + name;
            found.push_back(std::move(path));
        }
        expect(found.size() < 100, "pages come to an end");
        query.after = page.next;
    } while (query.after);
    co_return found;
}

// A namespace is there as long as an item is: it is never made, and never left behind.
task<void> namespaces_with_items_are_listed(item_store_under_test& trial)
{
    using paths = std::vector<std::string>;
    item_store& store = trial.store();
    for (const char* path : {"users/1/facts", "users/1", "users/2/facts", "users", "zoo/ape", "users/1/facts"})
        co_await put_text(store, key_of(path, "a"), "x");
    co_await put_text(store, key_of("users/1", "b"), "x");
    const item_key brief = key_of("brief", "a");
    co_await store.put("tenant", brief, 1, trial.lifetime());
    item_space_query query;
    query.tenant = "tenant";
    query.below = {"users"};
    query.count_max = 2;
    const paths users = co_await spaces_found(trial, query);
    expect_equal(users, paths{"/users", "/users/1", "/users/1/facts", "/users/2/facts"}, "namespaces below one");
    query.depth_max = 2;
    const paths cut = co_await spaces_found(trial, query);
    expect_equal(cut, paths{"/users", "/users/1", "/users/2"}, "cut to two names");
    query.below.clear();
    query.depth_max = 1;
    query.count_max = 1;
    const paths tops = co_await spaces_found(trial, query);
    expect_equal(tops, paths{"/brief", "/users", "/zoo"}, "those at the top");
    co_await trial.pass(trial.lifetime() + milliseconds{50});
    const paths left = co_await spaces_found(trial, query);
    expect_equal(left, paths{"/users", "/zoo"}, "without one whose only item has ended");
}

constexpr std::array<item_store_check, 11> item_check_list{{
    WEFT_STORE_CHECK(an_item_comes_back_until_it_is_erased),
    WEFT_STORE_CHECK(an_item_takes_the_place_of_the_one_before),
    WEFT_STORE_CHECK(an_item_ends_with_its_lifetime),
    WEFT_STORE_CHECK(sweeping_removes_what_has_ended),
    WEFT_STORE_CHECK(items_are_listed_by_namespace_in_pages),
    WEFT_STORE_CHECK(item_names_are_only_names),
    WEFT_STORE_CHECK(a_path_cannot_pass_for_another),
    WEFT_STORE_CHECK(keys_that_are_too_long_are_refused),
    WEFT_STORE_CHECK(numbers_come_back_as_they_were),
    WEFT_STORE_CHECK(items_are_found_by_what_they_contain),
    WEFT_STORE_CHECK(namespaces_with_items_are_listed),
}};

}  // namespace

const std::vector<item_store_check>& item_store_checks()
{
    static const std::vector<item_store_check> all(item_check_list.begin(), item_check_list.end());
    return all;
}

}  // namespace weft::testing
