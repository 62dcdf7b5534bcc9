#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/store/memory_items.hpp>

#include "limit_checks.hpp"

#include <algorithm>

namespace weft {

namespace {

bool item_has_ended(const stored_item& item, wall_time now) { return item.expires && *item.expires <= now; }

bool is_space_at_or_below(const std::vector<std::string>& space, const std::vector<std::string>& top)
{
    return space.size() >= top.size() && std::equal(top.begin(), top.end(), space.begin());
}

}  // namespace

void memory_items::take_out(table::iterator item)
{
    if (item->second.expires) ends_.erase({*item->second.expires, item->first});
    items_.erase(item);
}

void memory_items::put_now(place where, stored_item item)
{
    const auto found = items_.find(where);
    if (found == items_.end() && items_.size() >= items_max_)
        throw error{errc::store_full, "items in memory",
                    "there are " + std::to_string(items_max_) + ": sweep, erase some, or raise the limit"};
    if (found != items_.end()) {
        if (!item_has_ended(found->second, item.changed)) item.created = found->second.created;
        take_out(found);
    }
    if (item.expires) ends_.emplace(*item.expires, where);
    items_.emplace(std::move(where), std::move(item));
}

std::vector<stored_item> memory_items::list_now(const place& from, const std::vector<std::string>& space,
                                                std::size_t max, wall_time now) const
{
    std::vector<stored_item> found;
    for (auto each = items_.lower_bound(from); each != items_.end() && found.size() < max; ++each) {
        if (each->first.tenant != from.tenant || !is_space_at_or_below(each->first.space, space)) break;
        if (!item_has_ended(each->second, now)) found.push_back(each->second);
    }
    return found;
}

task<void> memory_items::put(std::string tenant, item_key key, boost::json::value value,
                             std::optional<std::chrono::milliseconds> lifetime)
{
    check_name_limit(tenant, "tenant");
    check_limits(key);
    check_text_limit(to_json_text(value), "item");
    stored_item item;
    item.created = item.changed = (co_await this_task::loop()).clock().system_now();
    if (lifetime) item.expires = item.created + *lifetime;
    item.value = std::move(value);
    item.key = key;
    const std::lock_guard lock{mutex_};
    put_now({std::move(tenant), std::move(key.space), std::move(key.name)}, std::move(item));
}

task<std::optional<stored_item>> memory_items::get(std::string tenant, item_key key)
{
    const wall_time now = (co_await this_task::loop()).clock().system_now();
    const std::lock_guard lock{mutex_};
    const auto found = items_.find({std::move(tenant), std::move(key.space), std::move(key.name)});
    if (found == items_.end() || item_has_ended(found->second, now)) co_return std::nullopt;
    co_return found->second;
}

task<bool> memory_items::erase(std::string tenant, item_key key)
{
    const wall_time now = (co_await this_task::loop()).clock().system_now();
    const std::lock_guard lock{mutex_};
    const auto found = items_.find({std::move(tenant), std::move(key.space), std::move(key.name)});
    if (found == items_.end()) co_return false;
    const bool was_there = !item_has_ended(found->second, now);
    take_out(found);
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
    const std::lock_guard lock{mutex_};
    co_return list_now(std::max(from, behind), space, max, now);
}

task<std::size_t> memory_items::sweep(std::size_t max)
{
    const wall_time now = (co_await this_task::loop()).clock().system_now();
    const std::lock_guard lock{mutex_};
    std::size_t count = 0;
    for (; count < max && !ends_.empty() && ends_.begin()->first <= now; ++count)
        take_out(items_.find(ends_.begin()->second));
    co_return count;
}

}  // namespace weft
