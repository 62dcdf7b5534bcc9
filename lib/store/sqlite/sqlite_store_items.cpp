#include <weft/base/json/json_text.hpp>
#include <weft/store/sqlite_store.hpp>

#include "sqlite_core.hpp"
#include "sqlite_items.hpp"
#include "store/record/limit_checks.hpp"

#include <utility>

namespace weft {

task<void> sqlite_store::put(std::string tenant, item_key key, boost::json::value value,
                             std::optional<std::chrono::milliseconds> lifetime)
{
    check_name_limit(tenant, "tenant");
    check_limits(key);
    sqlite_detail::item_draft item{std::move(tenant), std::move(key), to_json_text(value), lifetime};
    check_text_limit(item.value, "item");
    const std::size_t bytes = item.value.size();
    auto work = [item = std::move(item)](sqlite_detail::connection& db, const sqlite_detail::moment& at) {
        sqlite_detail::write_item(db, item, at);
    };
    co_await core_->write(std::move(work), bytes);
}

task<std::optional<stored_item>> sqlite_store::get(std::string tenant, item_key key)
{
    auto work = [tenant = std::move(tenant), key = std::move(key)](sqlite_detail::connection& db,
                                                                   const sqlite_detail::moment& at) {
        return sqlite_detail::read_item(db, tenant, key, at);
    };
    co_return co_await core_->read(std::move(work));
}

task<bool> sqlite_store::erase(std::string tenant, item_key key)
{
    auto work = [tenant = std::move(tenant), key = std::move(key)](sqlite_detail::connection& db,
                                                                   const sqlite_detail::moment& at) {
        return sqlite_detail::delete_item(db, tenant, key, at);
    };
    co_return co_await core_->write(std::move(work), 0);
}

task<std::vector<stored_item>> sqlite_store::list(std::string tenant, std::vector<std::string> space,
                                                  std::optional<item_key> after, std::size_t max)
{
    check_limits(space);
    sqlite_detail::item_range range{std::move(tenant), std::move(space), std::move(after), max};
    auto work = [range = std::move(range)](sqlite_detail::connection& db, const sqlite_detail::moment& at) {
        return sqlite_detail::list_items(db, range, at);
    };
    co_return co_await core_->read(std::move(work));
}

task<std::size_t> sqlite_store::sweep(std::size_t max)
{
    auto work = [max](sqlite_detail::connection& db, const sqlite_detail::moment& at) {
        return sqlite_detail::sweep_items(db, max, at);
    };
    co_return co_await core_->write(std::move(work), 0);
}

}  // namespace weft
