#include <weft/store/item_space.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

// Beside the store, so that parameters of coroutines stay few.
struct space_draft {
    space_draft() {}  // declared: see docs/COMPILERS.md
    std::string tenant;
    item_key key;
    boost::json::value value;
    std::optional<item_vector> vector;
    std::optional<std::chrono::milliseconds> lifetime;
};

item_vectors& vectors_of(item_store& store)
{
    if (item_vectors* const vectors = store.vectors()) return *vectors;
    throw error{errc::invalid_configuration, "item_space",
                "its store keeps no vectors: use memory_items, sqlite_store or postgres_store, and not sealed"};
}

// The store is a parameter, so that the frame keeps it alive.
task<void> put_item(std::shared_ptr<item_store> store, space_draft draft)
{
    if (!draft.vector) {
        co_await store->put(std::move(draft.tenant), std::move(draft.key), std::move(draft.value), draft.lifetime);
        co_return;
    }
    item_vectors& vectors = vectors_of(*store);
    co_await vectors.put_with_vector(std::move(draft.tenant), std::move(draft.key), std::move(draft.value),
                                     *std::move(draft.vector), draft.lifetime);
}

task<std::vector<item_match>> nearest_items_in(std::shared_ptr<item_store> store, std::string tenant,
                                               std::vector<std::string> space, vector_query query)
{
    item_vectors& vectors = vectors_of(*store);
    co_return co_await vectors.nearest(std::move(tenant), std::move(space), std::move(query));
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

/** Refuses what a limit does not allow. `whole` is the namespace that has the limits. */
task<void> put_within(std::shared_ptr<item_store> store, space_draft draft, item_limits limits,
                      std::vector<std::string> whole)
{
    const item_key& key = draft.key;
    const std::size_t bytes = limits.value_bytes_max > 0 ? to_json_text(draft.value).size() : 0;
    if (bytes > limits.value_bytes_max)
        throw error{errc::limit_reached, "item '" + key.name + "'",
                    "its value has " + std::to_string(bytes) + " bytes as JSON, and at most " +
                        std::to_string(limits.value_bytes_max) + " are kept: shorten it"};
    if (limits.items_max > 0) {
        const std::optional<stored_item> known = co_await store->get(draft.tenant, key);
        std::size_t count = 0;
        if (!known) {
            const std::vector<stored_item> there =
                co_await store->list(draft.tenant, whole, std::nullopt, limits.items_max);
            count = there.size();
        }
        if (count >= limits.items_max)
            throw error{errc::limit_reached, "item '" + key.name + "'",
                        "there are " + std::to_string(limits.items_max) +
                            " items already, which is the limit of this memory: forget some first"};
    }
    task<void> putting = put_item(std::move(store), std::move(draft));
    co_await std::move(putting);
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
    item_space made{store_, tenant_, std::move(space)};
    made.limits_ = limits_;
    return made;
}

item_space item_space::limited(item_limits limits) const
{
    item_space made = *this;
    made.limits_ = limits_at{limits, space_.size()};
    return made;
}

task<void> item_space::put_draft(std::string name, boost::json::value value, std::optional<item_vector> vector,
                                 std::optional<std::chrono::milliseconds> lifetime) const
{
    space_draft draft;
    draft.tenant = tenant_;
    draft.key = item_key{space_, std::move(name)};
    draft.value = std::move(value);
    draft.vector = std::move(vector);
    draft.lifetime = lifetime;
    if (!limits_) return put_item(store_, std::move(draft));
    const auto& [limits, depth] = *limits_;
    if (!lifetime) draft.lifetime = limits.lifetime;
    std::vector<std::string> whole{space_.begin(), space_.begin() + static_cast<std::ptrdiff_t>(depth)};
    return put_within(store_, std::move(draft), limits, std::move(whole));
}

task<void> item_space::put(std::string name, boost::json::value value,
                           std::optional<std::chrono::milliseconds> lifetime) const
{
    return put_draft(std::move(name), std::move(value), std::nullopt, lifetime);
}

task<void> item_space::put_with_vector(std::string name, boost::json::value value, item_vector vector,
                                       std::optional<std::chrono::milliseconds> lifetime) const
{
    return put_draft(std::move(name), std::move(value), std::move(vector), lifetime);
}

task<std::vector<item_match>> item_space::nearest(vector_query query) const
{
    return nearest_items_in(store_, tenant_, space_, std::move(query));
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
