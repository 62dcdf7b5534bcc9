#include "sqlite_vectors.hpp"

#include "sqlite_items.hpp"
#include "store/record/limit_checks.hpp"
#include "store/record/nearest_items.hpp"
#include "store/record/unit_vector.hpp"

#include <weft/base/json/json_text.hpp>

#include <memory>
#include <utility>

namespace weft::sqlite_detail {

namespace {

// The OS threads that read have other work, too: a slice takes them some milliseconds.
constexpr std::size_t slice_bytes = 4 * 1024 * 1024;

struct vector_search {
    store_detail::nearest_items best;
    std::string tenant;
    std::string space;  // as stored; the key that was looked at last, or the first one of the namespace
    std::string name;
    std::string end;    // behind the namespace; empty: there is no end
    bool has_begun = false;
};

/** @return  Whether nothing is left to look at. */
bool search_slice(connection& db, vector_search& search, const moment& at)
{
    const std::size_t slice = search.best.slice_of(slice_bytes);
    const std::optional<raw> end = search.end.empty() ? std::nullopt : std::optional{raw{search.end}};
    const std::string space = search.space;
    const std::string name = search.name;
    query asked{db,
                "SELECT space, name, vector FROM item_vector WHERE tenant = ?1 AND (space, name) >= (?2, ?3) "
                "AND (?4 = 0 OR space <> ?2 OR name <> ?3) AND (?5 IS NULL OR space < ?5) AND model = ?6 "
                "AND (expires IS NULL OR expires > ?7) ORDER BY space, name LIMIT ?8",
                search.tenant, raw{space}, name, search.has_begun, end, search.best.model(), stored(at.today), slice};
    std::size_t seen = 0;
    for (; asked.next(); ++seen) {
        search.space = asked.text(0);
        search.name = asked.text(1);
        const std::optional<float> score = search.best.look_at(search.name, asked.view(2));
        if (!score) continue;
        // In the same snapshot, so that the item is there.
        std::optional<stored_item> item = read_item(db, search.tenant, {decoded(search.space), search.name}, at);
        if (item) search.best.offer(*std::move(item), *score);
    }
    search.has_begun = true;
    return seen < slice;
}

}  // namespace

task<void> sqlite_vectors::put_with_vector(std::string tenant, item_key key, boost::json::value value,
                                           item_vector vector, std::optional<std::chrono::milliseconds> lifetime)
{
    check_name_limit(tenant, "tenant");
    check_limits(key);
    check_name_limit(vector.model, "model of a vector");
    std::string bytes = store_detail::unit_vector_bytes(vector.components);
    item_draft item{std::move(tenant), std::move(key), to_json_text(value), lifetime};
    check_text_limit(item.value, "item");
    const std::size_t size = item.value.size() + bytes.size();
    auto work = [item = std::move(item), model = std::move(vector.model), bytes = std::move(bytes)](
                    connection& db, const moment& at) {
        write_item(db, item, at);
        const std::string space = encoded(item.key.space);
        // A trigger has removed the vector of the value before. Its end stands beside it, so that a search looks items
        // up only for what it finds.
        query{db,
              "INSERT INTO item_vector (tenant, space, name, model, expires, vector) "
              "SELECT tenant, space, name, ?, expires, ? FROM item WHERE tenant = ? AND space = ? AND name = ?",
              model, raw{bytes}, item.tenant, raw{space}, item.key.name}.run();
    };
    co_await core_.write(std::move(work), size);
}

task<std::vector<item_match>> sqlite_vectors::nearest(std::string tenant, std::vector<std::string> space,
                                                      vector_query query)
{
    check_limits(space);
    std::string first = encoded(space);
    std::string end = first;
    // All that begins with `first` ends before the same bytes with a greater last one.
    if (!end.empty()) ++end.back();
    vector_search begun{store_detail::nearest_items{std::move(query)}, std::move(tenant), std::move(first),
                        std::string{}, std::move(end)};
    // Shared with the OS thread that reads, which goes on for a while when this task is stopped.
    const auto search = std::make_shared<vector_search>(std::move(begun));
    bool is_done = false;
    while (!is_done) {
        auto work = [search](connection& db, const moment& at) { return search_slice(db, *search, at); };
        is_done = co_await core_.read(std::move(work));
    }
    co_return search->best.take();
}

}  // namespace weft::sqlite_detail
