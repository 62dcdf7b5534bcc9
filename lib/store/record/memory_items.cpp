#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/store/memory_items.hpp>

#include "limit_checks.hpp"
#include "nearest_items.hpp"
#include "unit_vector.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace weft {

namespace {

// A slice of a search takes about a millisecond.
constexpr std::size_t slice_bytes = 2 * 1024 * 1024;

bool item_has_ended(const stored_item& item, wall_time now) { return item.expires && *item.expires <= now; }

bool is_space_at_or_below(const std::vector<std::string>& space, const std::vector<std::string>& top)
{
    return space.size() >= top.size() && std::equal(top.begin(), top.end(), space.begin());
}

/** @par Errors   Those of an item that no store takes. */
stored_item checked_item(const std::string& tenant, item_key key, boost::json::value value)
{
    check_name_limit(tenant, "tenant");
    check_limits(key);
    check_text_limit(to_json_text(value), "item");
    stored_item item;
    item.key = std::move(key);
    item.value = std::move(value);
    return item;
}

}  // namespace

/** Where an item stands. */
struct memory_items::place {
    std::string tenant;
    std::vector<std::string> space;
    std::string name;
    friend auto operator<=>(const place&, const place&) = default;
};

/** Where a search by vector is. */
struct memory_items::vector_search {
    store_detail::nearest_items best;
    place from;  // what is looked at next, or the key before it
    std::vector<std::string> space;
    wall_time now;
};

/** What is kept. */
struct memory_items::tables {
    using item_table = std::map<place, stored_item>;
    struct unit_vector {
        std::string model;
        std::string bytes;  // float32, little-endian, of length 1
        std::optional<wall_time> expires;  // as the item: a search looks it up only for what it finds
    };

    explicit tables(std::size_t max) noexcept : items_max{max} {}

    // Each under the mutex, but for `search_slice`, which takes it.
    void put(place where, stored_item item);
    void take_out(item_table::iterator item);
    [[nodiscard]] std::vector<stored_item> list(const place& from, const std::vector<std::string>& space,
                                                std::size_t max, wall_time now) const;
    [[nodiscard]] bool search_slice(vector_search& search) const;

    const std::size_t items_max;
    mutable std::mutex mutex;
    item_table items;
    std::map<place, unit_vector> vectors;  // of some of the items
    std::set<std::pair<wall_time, place>> ends;
};

void memory_items::tables::take_out(item_table::iterator item)
{
    if (item->second.expires) ends.erase({*item->second.expires, item->first});
    vectors.erase(item->first);
    items.erase(item);
}

void memory_items::tables::put(place where, stored_item item)
{
    const auto found = items.find(where);
    if (found == items.end() && items.size() >= items_max)
        throw error{errc::store_full, "items in memory",
                    "there are " + std::to_string(items_max) + ": sweep, erase some, or raise the limit"};
    if (found != items.end()) {
        if (!item_has_ended(found->second, item.changed)) item.created = found->second.created;
        take_out(found);
    }
    if (item.expires) ends.emplace(*item.expires, where);
    items.emplace(std::move(where), std::move(item));
}

std::vector<stored_item> memory_items::tables::list(const place& from, const std::vector<std::string>& space,
                                                    std::size_t max, wall_time now) const
{
    std::vector<stored_item> found;
    for (auto each = items.lower_bound(from); each != items.end() && found.size() < max; ++each) {
        if (each->first.tenant != from.tenant || !is_space_at_or_below(each->first.space, space)) break;
        if (!item_has_ended(each->second, now)) found.push_back(each->second);
    }
    return found;
}

/** @return  Whether nothing is left to look at. */
bool memory_items::tables::search_slice(vector_search& search) const
{
    const std::lock_guard lock{mutex};
    auto each = vectors.lower_bound(search.from);
    for (std::size_t left = search.best.slice_of(slice_bytes); left > 0 && each != vectors.end(); --left, ++each) {
        const auto& [where, vector] = *each;
        if (where.tenant != search.from.tenant || !is_space_at_or_below(where.space, search.space)) return true;
        if (vector.model != search.best.model()) continue;
        if (vector.expires && *vector.expires <= search.now) continue;
        const std::optional<float> score = search.best.look_at(where.name, vector.bytes);
        if (score) search.best.offer(items.find(where)->second, *score);
    }
    if (each == vectors.end()) return true;
    search.from = each->first;
    return false;
}

memory_items::memory_items(std::size_t items_max) : tables_{std::make_unique<tables>(items_max)} {}

memory_items::~memory_items() = default;

task<void> memory_items::put(std::string tenant, item_key key, boost::json::value value,
                             std::optional<std::chrono::milliseconds> lifetime)
{
    stored_item item = checked_item(tenant, std::move(key), std::move(value));
    item.created = item.changed = (co_await this_task::loop()).clock().system_now();
    if (lifetime) item.expires = item.created + *lifetime;
    place where{std::move(tenant), item.key.space, item.key.name};
    const std::lock_guard lock{tables_->mutex};
    tables_->put(std::move(where), std::move(item));
}

task<std::optional<stored_item>> memory_items::get(std::string tenant, item_key key)
{
    const wall_time now = (co_await this_task::loop()).clock().system_now();
    const std::lock_guard lock{tables_->mutex};
    const auto found = tables_->items.find({std::move(tenant), std::move(key.space), std::move(key.name)});
    if (found == tables_->items.end() || item_has_ended(found->second, now)) co_return std::nullopt;
    co_return found->second;
}

task<bool> memory_items::erase(std::string tenant, item_key key)
{
    const wall_time now = (co_await this_task::loop()).clock().system_now();
    const std::lock_guard lock{tables_->mutex};
    const auto found = tables_->items.find({std::move(tenant), std::move(key.space), std::move(key.name)});
    if (found == tables_->items.end()) co_return false;
    const bool was_there = !item_has_ended(found->second, now);
    tables_->take_out(found);
    co_return was_there;
}

task<std::vector<stored_item>> memory_items::list(std::string tenant, std::vector<std::string> space,
                                                  std::optional<item_key> after, std::size_t max)
{
    check_limits(space);
    const wall_time now = (co_await this_task::loop()).clock().system_now();
    place from{tenant, space, std::string{}};
    place behind = from;
    if (after) {
        behind = place{std::move(tenant), std::move(after->space), std::move(after->name)};
        behind.name.push_back('\0');  // the next key in order
    }
    const std::lock_guard lock{tables_->mutex};
    co_return tables_->list(std::max(from, behind), space, max, now);
}

task<std::size_t> memory_items::sweep(std::size_t max)
{
    const wall_time now = (co_await this_task::loop()).clock().system_now();
    const std::lock_guard lock{tables_->mutex};
    std::size_t count = 0;
    for (; count < max && !tables_->ends.empty() && tables_->ends.begin()->first <= now; ++count)
        tables_->take_out(tables_->items.find(tables_->ends.begin()->second));
    co_return count;
}

task<void> memory_items::put_with_vector(std::string tenant, item_key key, boost::json::value value,
                                         item_vector vector, std::optional<std::chrono::milliseconds> lifetime)
{
    check_name_limit(vector.model, "model of a vector");
    std::string bytes = store_detail::unit_vector_bytes(vector.components);
    stored_item item = checked_item(tenant, std::move(key), std::move(value));
    item.created = item.changed = (co_await this_task::loop()).clock().system_now();
    if (lifetime) item.expires = item.created + *lifetime;
    tables::unit_vector beside{std::move(vector.model), std::move(bytes), item.expires};
    const place where{std::move(tenant), item.key.space, item.key.name};
    const std::lock_guard lock{tables_->mutex};
    tables_->put(where, std::move(item));
    tables_->vectors.insert_or_assign(where, std::move(beside));
}

task<std::vector<item_match>> memory_items::nearest(std::string tenant, std::vector<std::string> space,
                                                    vector_query query)
{
    check_limits(space);
    const wall_time now = (co_await this_task::loop()).clock().system_now();
    place from{std::move(tenant), space, std::string{}};
    vector_search search{store_detail::nearest_items{std::move(query)}, std::move(from), std::move(space), now};
    while (!tables_->search_slice(search)) co_await yield_now();
    co_return search.best.take();
}

}  // namespace weft
