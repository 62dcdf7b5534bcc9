#include <weft/store/sealed_item_store.hpp>

#include "armour.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <boost/json/serialize.hpp>

#include <utility>

namespace weft {

namespace {

sealed_place place_of_item(const std::string& tenant, const item_key& key)
{
    sealed_place place{"item"};
    place.part(tenant);
    for (const std::string& name : key.space) place.part(name);
    place.part(key.name);
    return place;
}

}  // namespace

sealed_item_store::sealed_item_store(std::shared_ptr<item_store> inner, std::shared_ptr<const value_cipher> cipher)
    : inner_{std::move(inner)}, cipher_{std::move(cipher)}
{
}

stored_item sealed_item_store::opened(const std::string& tenant, stored_item found) const
{
    const sealed_place place = place_of_item(tenant, found.key);
    const boost::json::string* const sealed = found.value.if_string();
    if (!sealed) throw error{errc::store_corrupt, place.text(), "it is not sealed"};
    const std::string text = sealed_detail::open_text(*cipher_, {sealed->data(), sealed->size()}, place);
    found.value = parse_json(text);
    return found;
}

task<void> sealed_item_store::put(std::string tenant, item_key key, boost::json::value value,
                                  std::optional<std::chrono::milliseconds> lifetime)
{
    const std::string text = boost::json::serialize(value);
    boost::json::value sealed(sealed_detail::seal_as_text(*cipher_, text, place_of_item(tenant, key)));
    co_await inner_->put(std::move(tenant), std::move(key), std::move(sealed), lifetime);
}

task<std::optional<stored_item>> sealed_item_store::get(std::string tenant, item_key key)
{
    std::optional<stored_item> found = co_await inner_->get(tenant, std::move(key));
    if (found) found = opened(tenant, std::move(*found));
    co_return found;
}

task<bool> sealed_item_store::erase(std::string tenant, item_key key)
{
    return inner_->erase(std::move(tenant), std::move(key));
}

task<std::vector<stored_item>> sealed_item_store::list(std::string tenant, std::vector<std::string> space,
                                                       std::optional<item_key> after, std::size_t max)
{
    std::vector<stored_item> found = co_await inner_->list(tenant, std::move(space), std::move(after), max);
    for (stored_item& item : found) item = opened(tenant, std::move(item));
    co_return found;
}

task<std::size_t> sealed_item_store::sweep(std::size_t max) { return inner_->sweep(max); }

}  // namespace weft
