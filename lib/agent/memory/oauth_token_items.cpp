#include <weft/agent/memory/oauth_token_items.hpp>

#include <weft/base/json/json_peek.hpp>

#include <optional>
#include <utility>

namespace weft {

namespace {

class token_items final : public oauth_token_store {
public:
    token_items(std::shared_ptr<item_store> store, std::string tenant)
        : store_{std::move(store)}, tenant_{std::move(tenant)}
    {
    }

    task<secret_string> load(std::string server) override
    {
        item_key key = key_of(std::move(server));
        const std::optional<stored_item> found = co_await store_->get(tenant_, std::move(key));
        co_return secret_string{found ? peek_text(&found->value) : std::string_view{}};
    }

    task<void> save(std::string server, secret_string tokens) override
    {
        item_key key = key_of(std::move(server));
        if (tokens.empty()) {
            const bool was_there = co_await store_->erase(tenant_, std::move(key));
            static_cast<void>(was_there);
            co_return;
        }
        boost::json::value text(tokens.reveal());
        co_await store_->put(tenant_, std::move(key), std::move(text), std::nullopt);
    }

private:
    static item_key key_of(std::string server) { return item_key{{"oauth_tokens"}, std::move(server)}; }

    std::shared_ptr<item_store> store_;
    std::string tenant_;
};

}  // namespace

std::shared_ptr<oauth_token_store> oauth_token_items(std::shared_ptr<item_store> store, std::string tenant)
{
    return std::make_shared<token_items>(std::move(store), std::move(tenant));
}

}  // namespace weft
