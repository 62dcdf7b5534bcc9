#include <weft/store/service/item_directory.hpp>

#include "store/record/json_contains.hpp"
#include "store/record/limit_checks.hpp"

#include <weft/store/record/store_limits.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t batch_max = 256;
constexpr std::size_t looked_at_max = 10'000;

// Greater than any name: no character comes behind U+10FFFF, and no name is that long.
std::string greatest_name()
{
    std::string name;
    while (name.size() <= store_limits::name_bytes_max) name += "\xF4\x8F\xBF\xBF";
    return name;
}

/** Behind all items of a namespace, and of those below it where these are the same one when they are cut. */
item_key behind(const std::vector<std::string>& space, std::size_t depth_max)
{
    std::vector<std::string> last = space;
    const bool has_others_below = last.size() < depth_max;
    if (!has_others_below && last.size() < item_space_names_max) last.push_back(greatest_name());
    return {std::move(last), greatest_name()};
}

}  // namespace

task<item_page> item_directory::search(item_query query)
{
    const boost::json::object wanted = checked_object(query.contains, document_limits::body_bytes_max, "filter");
    const boost::json::value filter = wanted;
    item_page page;
    std::optional<item_key> after = std::move(query.after);
    for (std::size_t looked_at = 0; looked_at < looked_at_max && page.items.size() < query.count_max;) {
        std::vector<stored_item> batch = co_await items_.list(query.tenant, query.space, after, batch_max);
        const bool is_last = batch.size() < batch_max;
        const std::optional<item_key> end = batch.empty() ? after : std::optional{batch.back().key};
        looked_at += batch.size();
        for (stored_item& item : batch) {
            if (page.items.size() == query.count_max) break;
            after = item.key;
            if (wanted.empty() || json_contains(item.value, filter)) page.items.push_back(std::move(item));
        }
        // The end was seen, and all of this batch was looked at.
        if (is_last && after == end) co_return page;
    }
    if (query.count_max > 0) page.next = std::move(after);
    co_return page;
}

task<item_space_page> item_directory::spaces(item_space_query query)
{
    item_space_page page;
    const std::size_t depth_max = std::max<std::size_t>(query.depth_max, std::max<std::size_t>(query.below.size(), 1));
    std::optional<item_key> after;
    if (query.after) after = behind(*query.after, depth_max);
    while (page.spaces.size() < query.count_max) {
        const std::vector<stored_item> next = co_await items_.list(query.tenant, query.below, after, 1);
        if (next.empty()) co_return page;
        std::vector<std::string> space = next[0].key.space;
        space.resize(std::min(space.size(), depth_max));
        after = behind(space, depth_max);
        page.spaces.push_back(std::move(space));
    }
    if (!page.spaces.empty()) page.next = page.spaces.back();
    co_return page;
}

}  // namespace weft
