#include <weft/store/item_space.hpp>

#include <weft/base/error.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

// The store is a parameter, so that the frame keeps it alive.
task<void> put_item(std::shared_ptr<item_store> store, std::string tenant, item_key key, boost::json::value value,
                    std::optional<std::chrono::milliseconds> lifetime)
{
    co_await store->put(std::move(tenant), std::move(key), std::move(value), lifetime);
}

task<std::optional<stored_item>> get_item(std::shared_ptr<item_store> store, std::string tenant, item_key key)
{
    co_return co_await store->get(std::move(tenant), std::move(key));
}

task<bool> erase_item(std::shared_ptr<item_store> store, std::string tenant, item_key key)
{
    co_return co_await store->erase(std::move(tenant), std::move(key));
}

task<std::vector<stored_item>> list_items(std::shared_ptr<item_store> store, std::string tenant,
                                          std::vector<std::string> space, std::optional<item_key> after,
                                          std::size_t max)
{
    co_return co_await store->list(std::move(tenant), std::move(space), std::move(after), max);
}

}  // namespace

item_space::item_space(std::shared_ptr<item_store> store, std::string tenant, std::vector<std::string> space)
    : store_{std::move(store)}, tenant_{std::move(tenant)}, space_{std::move(space)}
{
    if (!store_) throw error{errc::invalid_configuration, "item_space", "there is no store: give one"};
    const auto is_empty = [](const std::string& name) { return name.empty(); };
    if (std::any_of(space_.begin(), space_.end(), is_empty))
        throw error{errc::invalid_configuration, "item_space", "a name of the namespace is empty: leave it out"};
}

item_space item_space::below(std::vector<std::string> names) const
{
    std::vector<std::string> space = space_;
    for (std::string& name : names) space.push_back(std::move(name));
    return item_space{store_, tenant_, std::move(space)};
}

task<void> item_space::put(std::string name, boost::json::value value,
                           std::optional<std::chrono::milliseconds> lifetime) const
{
    return put_item(store_, tenant_, item_key{space_, std::move(name)}, std::move(value), lifetime);
}

task<std::optional<stored_item>> item_space::get(std::string name) const
{
    return get_item(store_, tenant_, item_key{space_, std::move(name)});
}

task<bool> item_space::erase(std::string name) const
{
    return erase_item(store_, tenant_, item_key{space_, std::move(name)});
}

task<std::vector<stored_item>> item_space::list(std::size_t max, std::optional<item_key> after) const
{
    return list_items(store_, tenant_, space_, std::move(after), max);
}

}  // namespace weft
