#include "store_trial.hpp"

#include <weft/base/json.hpp>
#include <weft/store/item_vectors.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>

namespace weft::testing {

namespace {

using store_trial::expect;
using store_trial::expect_equal;
using store_trial::expect_error;
using std::chrono::milliseconds;

const std::optional<milliseconds> no_end;

using space = std::vector<std::string>;
using components = std::vector<float>;

/** The names of a path such as "a/b". Functions make them, since g++ 12 destroys lists of texts inside a co_await
 *  expression twice. */
space path_of(std::string_view path)
{
    const std::size_t end = path.find('/');
    space names;
    names.emplace_back(path.substr(0, end));
    if (end != path.npos) names.emplace_back(path.substr(end + 1));
    return names;
}

space nameless() { return space(1); }
components at(float x, float y, float z) { return components{x, y, z}; }
components at(float x, float y) { return components{x, y}; }

item_vectors& vectors_of(item_store& store)
{
    item_vectors* const vectors = store.vectors();
    expect(vectors != nullptr, "the store keeps vectors");
    return *vectors;
}

/** Puts an item of the tenant "tenant" with a vector of the model "m". */
task<void> put_near(item_store& store, space where, std::string name, components vector, boost::json::value value = 1)
{
    item_key key{std::move(where), std::move(name)};
    item_vector beside{"m", std::move(vector)};
    co_await vectors_of(store).put_with_vector("tenant", std::move(key), std::move(value), std::move(beside), no_end);
}

vector_query query_of(components vector)
{
    vector_query query;
    query.vector = {"m", std::move(vector)};
    return query;
}

task<std::vector<std::string>> names_near(item_store& store, space where, vector_query query)
{
    const std::vector<item_match> found =
        co_await vectors_of(store).nearest("tenant", std::move(where), std::move(query));
    std::vector<std::string> names;
    for (const item_match& each : found) names.push_back(each.item.key.name);
    co_return names;
}

using names = std::vector<std::string>;

// Scores are cosines: a longer vector in the same direction is no better match.
task<void> the_nearest_items_come_first_with_their_scores(item_store_under_test& trial)
{
    item_store& store = trial.store();
    co_await put_near(store, path_of("a"), "same", at(3, 4, 0), "the value");
    co_await put_near(store, path_of("a/b"), "near", at(4, 3, 0));
    co_await put_near(store, path_of("a"), "across", at(0, 0, 1));
    co_await put_near(store, path_of("a"), "opposite", at(-3, -4, 0));
    co_await put_near(store, path_of("ab"), "elsewhere", at(3, 4, 0));
    vector_query query = query_of(at(6, 8, 0));
    const std::vector<item_match> found =
        co_await vectors_of(trial.other()).nearest("tenant", path_of("a"), std::move(query));
    const std::array<const char*, 4> wanted{"same", "near", "across", "opposite"};
    const std::array<float, 4> scores{1.0F, 0.96F, 0.0F, -1.0F};
    expect_equal(found.size(), wanted.size(), "items of the namespace and of those below it");
    for (std::size_t i = 0; i < found.size(); ++i) {
        expect_equal(found[i].item.key.name, std::string{wanted[i]}, "name of the next nearest");
        expect(std::abs(found[i].score - scores[i]) < 1e-5F, "its cosine");
    }
    const std::optional<stored_item> item = co_await store.get("tenant", found[0].item.key);
    expect(item && item->value == found[0].item.value && item->created == found[0].item.created, "it is the item");
    const names all = co_await names_near(store, space(), query_of(at(3, 4, 0)));
    expect_equal(all.size(), 5, "items of a tenant");
    const names none = co_await names_near(store, path_of("c"), query_of(at(3, 4, 0)));
    expect_equal(none.size(), 0, "items of an unknown namespace");
}

// Pages would overlap or leave items out if those of one score came in any order.
task<void> equal_scores_come_by_key(item_store_under_test& trial)
{
    for (const char* name : {"d", "b", "a", "c"}) co_await put_near(trial.store(), path_of("a"), name, at(1, 2));
    vector_query query = query_of(at(1, 2));
    query.count_max = 2;
    const names first = co_await names_near(trial.other(), path_of("a"), query);
    expect_equal(first, names{"a", "b"}, "the first page");
    query.offset = 2;
    const names second = co_await names_near(trial.other(), path_of("a"), query);
    expect_equal(second, names{"c", "d"}, "the second page");
    query.offset = 3;
    const names last = co_await names_near(trial.other(), path_of("a"), query);
    expect_equal(last, names{"d"}, "the rest");
    query.offset = 4;
    const names behind = co_await names_near(trial.other(), path_of("a"), query);
    expect_equal(behind, names{}, "behind the last one");
    query.count_max = 0;
    query.offset = 0;
    const names nothing = co_await names_near(trial.other(), path_of("a"), query);
    expect_equal(nothing, names{}, "none of them");
}

// A vector that outlives its text finds what is not there, or what was never meant.
task<void> a_vector_goes_with_the_value_it_belongs_to(item_store_under_test& trial)
{
    item_store& store = trial.store();
    for (const char* name : {"erased", "changed", "replaced", "stays"})
        co_await put_near(store, path_of("a"), name, at(1, 0));
    const item_key erased{{"a"}, "erased"};
    static_cast<void>(co_await trial.other().erase("tenant", erased));
    const item_key changed{{"a"}, "changed"};
    boost::json::value value("another");
    co_await trial.other().put("tenant", changed, value, no_end);
    co_await put_near(store, path_of("a"), "replaced", at(0, 1));
    const names left = co_await names_near(store, path_of("a"), query_of(at(1, 0)));
    expect_equal(left, names{"stays", "replaced"}, "items that have a vector");
    co_await store.put("tenant", erased, std::move(value), no_end);
    const names again = co_await names_near(store, path_of("a"), query_of(at(1, 0)));
    expect_equal(again, names{"stays", "replaced"}, "an item that is made again has no vector");
}

// A search must not tell that something was there once.
task<void> a_vector_ends_with_its_item(item_store_under_test& trial)
{
    item_store& store = trial.store();
    item_key brief{{"a"}, "brief"};
    item_vector vector{"m", {1, 0}};
    co_await vectors_of(store).put_with_vector("tenant", brief, 1, vector, trial.lifetime());
    co_await put_near(store, path_of("a"), "stays", at(0, 1));
    const names before = co_await names_near(trial.other(), path_of("a"), query_of(at(1, 0)));
    expect_equal(before, names{"brief", "stays"}, "before its end");
    co_await trial.pass(trial.lifetime() + milliseconds{50});
    const names after = co_await names_near(trial.other(), path_of("a"), query_of(at(1, 0)));
    expect_equal(after, names{"stays"}, "after its end");
    const std::size_t swept = co_await store.sweep(10);
    expect_equal(swept, 1, "items swept");
    boost::json::value value(2);
    co_await store.put("tenant", brief, std::move(value), no_end);
    const names again = co_await names_near(trial.other(), path_of("a"), query_of(at(1, 0)));
    expect_equal(again, names{"stays"}, "what was swept is gone with its vector");
}

// Vectors of two models have nothing to say to each other, even of the same length.
task<void> models_and_tenants_are_kept_apart(item_store_under_test& trial)
{
    item_store& store = trial.store();
    co_await put_near(store, path_of("a"), "ours", at(1, 0));
    item_key key{{"a"}, "another model"};
    item_vector other{"n", {1, 0, 0}};
    co_await vectors_of(store).put_with_vector("tenant", key, 1, other, no_end);
    key.name = "another tenant";
    item_vector same{"m", {1, 0, 0}};
    co_await vectors_of(store).put_with_vector("tenant 2", key, 1, same, no_end);
    const names ours = co_await names_near(trial.other(), space(), query_of(at(1, 0)));
    expect_equal(ours, names{"ours"}, "of one model and tenant");
}

// Before they are counted: else a page of ten would come back with three.
task<void> matches_are_filtered_by_value_and_score(item_store_under_test& trial)
{
    item_store& store = trial.store();
    const boost::json::value tea = {{"likes", "tea"}, {"n", 1}};
    const boost::json::value rain = {{"likes", "rain"}};
    co_await put_near(store, path_of("a"), "near tea", at(1, 0.1F), tea);
    co_await put_near(store, path_of("a"), "rain", at(1, 0), rain);
    co_await put_near(store, path_of("a"), "far tea", at(0, 1), tea);
    vector_query query = query_of(at(1, 0));
    query.contains = R"({"likes": "tea"})";
    query.count_max = 2;
    const names liked = co_await names_near(trial.other(), path_of("a"), query);
    expect_equal(liked, names{"near tea", "far tea"}, "with a member, none of them crowded out by others");
    query.contains = "{}";
    query.score_min = 0.5F;
    const names near = co_await names_near(trial.other(), path_of("a"), query);
    expect_equal(near, names{"rain", "near tea"}, "with a score that is high enough");
}

task<std::string> refusal_of(task<std::vector<item_match>> work)
{
    try {
        static_cast<void>(co_await std::move(work));
    } catch (const error& e) {
        if (e.code() == errc::invalid_configuration) co_return e.where() + ": " + e.detail();
    }
    co_return "";
}

// A score that is no number has no place in an order.
task<void> what_cannot_be_compared_is_refused(item_store_under_test& trial)
{
    item_store& store = trial.store();
    co_await put_near(store, path_of("a"), "has three", at(1, 0, 0));
    vector_query shorter = query_of(at(1, 0));
    const std::string told = co_await refusal_of(vectors_of(store).nearest("tenant", space(), std::move(shorter)));
    for (const char* part : {"has three", "3 dimensions", "has 2", "'m'"})
        expect(told.find(part) != told.npos, "other dimensions are refused with both numbers: " + told);
    const float infinite = std::numeric_limits<float>::infinity();
    for (const components& bad : {components{}, at(0, 0), components{infinite, 0}, components{NAN, 1},
                                  components(item_vector::dimensions_max + 1, 1.0F)}) {
        co_await expect_error(put_near(store, path_of("b"), "bad", bad), errc::invalid_configuration,
                              "a vector to be kept");
        co_await expect_error(vectors_of(store).nearest("tenant", space(), query_of(bad)), errc::invalid_configuration,
                              "a vector to be found");
    }
    const item_key bad{{"b"}, "bad"};
    const std::optional<stored_item> kept = co_await store.get("tenant", bad);
    expect(!kept, "nothing is written with a vector that is refused");
    vector_query query = query_of(at(1, 0, 0));
    query.contains = "[1]";
    co_await expect_error(vectors_of(store).nearest("tenant", space(), query), errc::invalid_json, "a filter");
    query.contains = "{}";
    query.count_max = vector_query::found_max;
    query.offset = 1;
    co_await expect_error(vectors_of(store).nearest("tenant", space(), query), errc::limit_reached, "too many");
    co_await expect_error(put_near(store, nameless(), "bad", at(1, 0, 0)), errc::limit_reached, "a namespace");
}

components random_vector(std::mt19937& random, std::size_t dimensions)
{
    std::normal_distribution<float> component;
    components made(dimensions);
    for (float& each : made) each = component(random);
    return made;
}

double exact_cosine(const components& a, const components& b)
{
    double product = 0;
    double a_squares = 0;
    double b_squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        product += static_cast<double>(a[i]) * b[i];
        a_squares += static_cast<double>(a[i]) * a[i];
        b_squares += static_cast<double>(b[i]) * b[i];
    }
    return product / std::sqrt(a_squares * b_squares);
}

/** Compares with all vectors, sorted in double precision. Neighbours closer than floats are may change places. */
task<void> expect_the_nearest(item_store& store, std::map<std::string, components> there, components wanted,
                              std::size_t count)
{
    std::vector<double> scores;
    for (const auto& [name, vector] : there) scores.push_back(exact_cosine(wanted, vector));
    std::sort(scores.rbegin(), scores.rend());
    vector_query query = query_of(wanted);
    query.count_max = count;
    const std::vector<item_match> found = co_await vectors_of(store).nearest("tenant", path_of("r"), std::move(query));
    expect_equal(found.size(), std::min(count, there.size()), "how many are found");
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double score = exact_cosine(wanted, there.at(found[i].item.key.name));
        expect(std::abs(found[i].score - score) < 1e-5, "the score of an item is its cosine");
        expect(std::abs(scores[i] - score) < 1e-5, "none that is nearer is left out");
    }
}

// Whatever index, slice or instruction set is used for it.
task<void> a_search_finds_what_a_look_at_all_finds(item_store_under_test& trial)
{
    std::mt19937 random{20'261'126};
    constexpr std::size_t dimensions = 37;  // no multiple of what goes into a register
    std::map<std::string, components> there;
    for (int i = 0; i < 200; ++i) {
        const std::string name = std::to_string(random() % 120);  // some are put again
        components vector = random_vector(random, dimensions);
        there[name] = vector;
        co_await put_near(trial.store(), path_of("r"), name, std::move(vector));
    }
    for (const std::size_t count : {1U, 2U, 7U, 50U, 500U}) {
        components wanted = random_vector(random, dimensions);
        co_await expect_the_nearest(trial.other(), there, std::move(wanted), count);
    }
}

// Vectors are read in slices so that the loop has its turn; the last one is shorter than the others.
task<void> a_search_goes_through_all_slices(item_store_under_test& trial)
{
    std::mt19937 random{7};
    constexpr std::size_t dimensions = 4'096;  // so that a slice has few of them
    std::map<std::string, components> there;
    for (int i = 0; i < 600; ++i) {
        const std::string name = std::to_string(i);
        components vector = random_vector(random, dimensions);
        there[name] = vector;
        co_await put_near(trial.store(), path_of("r/" + std::to_string(i % 5)), name, std::move(vector));
    }
    components wanted = random_vector(random, dimensions);
    co_await expect_the_nearest(trial.other(), there, wanted, 600);
    co_await expect_the_nearest(trial.other(), there, std::move(wanted), 10);
}

constexpr std::array<item_store_check, 9> vector_check_list{{
    WEFT_STORE_CHECK(the_nearest_items_come_first_with_their_scores),
    WEFT_STORE_CHECK(equal_scores_come_by_key),
    WEFT_STORE_CHECK(a_vector_goes_with_the_value_it_belongs_to),
    WEFT_STORE_CHECK(a_vector_ends_with_its_item),
    WEFT_STORE_CHECK(models_and_tenants_are_kept_apart),
    WEFT_STORE_CHECK(matches_are_filtered_by_value_and_score),
    WEFT_STORE_CHECK(what_cannot_be_compared_is_refused),
    WEFT_STORE_CHECK(a_search_finds_what_a_look_at_all_finds),
    WEFT_STORE_CHECK(a_search_goes_through_all_slices),
}};

}  // namespace

const std::vector<item_store_check>& item_vectors_checks()
{
    static const std::vector<item_store_check> all(vector_check_list.begin(), vector_check_list.end());
    return all;
}

}  // namespace weft::testing
