#include "webhook_url.hpp"

#include <weft/tool/builtin/public_address.hpp>

#include <weft/base/error.hpp>
#include <weft/net/url.hpp>
#include <weft/store/record/store_limits.hpp>

namespace weft::serve_detail {

namespace {

bool is_allowed_here(const url& target, const webhook_options& options)
{
    if (!options.also_allowed) return false;
    if (target.host_is_address()) return options.also_allowed(target.host());
    return target.host_is_loopback() && options.also_allowed("127.0.0.1");
}

}  // namespace

bool may_get_webhooks(std::string_view address, const webhook_options& options)
{
    return is_public_address(address) || (options.also_allowed && options.also_allowed(address));
}

std::string webhook_url_fault(std::string_view text, const webhook_options& options)
{
    if (text.size() > store_limits::address_bytes_max)
        return "is longer than " + std::to_string(store_limits::address_bytes_max) + " bytes";
    try {
        const url target{text};
        const bool is_allowed = is_allowed_here(target, options);
        if (!target.is_https() && !is_allowed) return "must be an absolute https URL";
        const bool is_inside = target.host_is_address() ? !may_get_webhooks(target.host(), options)
                                                        : target.host_is_loopback() && !is_allowed;
        if (is_inside) return "the host is not on the public internet, and the server allows no other";
    } catch (const error& wrong) {
        if (wrong.code() != errc::invalid_url) throw;
        return "must be an absolute https URL: " + wrong.detail();
    }
    return {};
}

}  // namespace weft::serve_detail
