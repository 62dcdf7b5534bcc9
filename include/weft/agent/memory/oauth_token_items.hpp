#pragma once

#include <weft/store/item_store.hpp>
#include <weft/tool/oauth/oauth_tokens.hpp>

#include <memory>
#include <string>

namespace weft {

/** Keeps OAuth tokens as items of a store, below the namespace `oauth_tokens`; with a `sealed_item_store` they are
 *  encrypted there.
 *
 *      oauth.tokens = weft::oauth_token_items(sealed, "tenant");
 *
 *  @par Errors          Those of the store; `errc::limit_reached` for a URL that is longer than a name of an item.
 *  @par Thread safety   That of the store.
 *  @par Lifetimes       Shares the store.
 */
[[nodiscard]] std::shared_ptr<oauth_token_store> oauth_token_items(std::shared_ptr<item_store> store,
                                                                   std::string tenant);

}  // namespace weft
