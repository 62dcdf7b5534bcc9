#include <weft/store/node_results.hpp>

#include <weft/store/record/content_hash.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

/** A key may be as long as a state; an item is named by its hash and says the key, so that equal hashes of different
 *  keys are told apart. */
std::string name_of_key(std::string_view key) { return hash_of(key, hash_key{}).text(); }

task<std::optional<boost::json::value>> load_result(item_space space, std::string key)
{
    task<std::optional<stored_item>> getting = space.get(name_of_key(key));
    std::optional<stored_item> found = co_await std::move(getting);
    const boost::json::object* const item = found ? found->value.if_object() : nullptr;
    const boost::json::value* const of = item ? item->if_contains("key") : nullptr;
    const boost::json::value* const result = item ? item->if_contains("result") : nullptr;
    std::optional<boost::json::value> kept;
    if (result && of && of->is_string() && std::string_view{of->get_string()} == key) kept = *result;
    co_return kept;
}

task<void> save_result(item_space space, std::string key, boost::json::value result,
                       std::optional<std::chrono::milliseconds> keep_for)
{
    std::string name = name_of_key(key);
    boost::json::object item;
    item["key"] = boost::json::string_view{key};
    item["result"] = std::move(result);
    co_await space.put(std::move(name), std::move(item), keep_for);
}

class results_in_items final : public node_result_store {
public:
    results_in_items(item_space space, std::chrono::milliseconds keep_for_max) noexcept
        : space_{std::move(space)}, keep_for_max_{keep_for_max}
    {
    }

    task<std::optional<boost::json::value>> load(std::string key) override
    {
        return load_result(space_, std::move(key));
    }
    task<void> save(std::string key, boost::json::value result,
                    std::optional<std::chrono::milliseconds> keep_for) override
    {
        return save_result(space_, std::move(key), std::move(result),
                           std::min(keep_for.value_or(keep_for_max_), keep_for_max_));
    }

private:
    item_space space_;
    std::chrono::milliseconds keep_for_max_;
};

}  // namespace

std::shared_ptr<node_result_store> node_results_in(item_space space, std::chrono::milliseconds keep_for_max)
{
    return std::make_shared<results_in_items>(std::move(space), keep_for_max);
}

}  // namespace weft
