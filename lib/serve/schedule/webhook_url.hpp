#pragma once

#include <weft/serve/webhook_options.hpp>

#include <string>
#include <string_view>

namespace weft::serve_detail {

/** What is wrong with the URL of a webhook; empty: nothing, as far as it can be seen without a lookup of its host.
 *
 *  It must be absolute, of https; of http only at an address that the options allow. An address in it must be public or
 *  allowed. Text of a client: it goes to no other place before this was asked. */
[[nodiscard]] std::string webhook_url_fault(std::string_view text, const webhook_options& options);

/** Whether a webhook may go to an address. */
[[nodiscard]] bool may_get_webhooks(std::string_view address, const webhook_options& options);

}  // namespace weft::serve_detail
