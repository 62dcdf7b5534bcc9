#include <weft/agent/host/webhook_signature.hpp>

#include <weft/base/text/base64.hpp>
#include <weft/net/text/digest.hpp>

namespace weft {

std::string webhook_signature(std::string_view body, const secret_string& secret)
{
    return "sha256=" + to_hex(net_detail::hmac_sha256(secret.reveal(), body));
}

bool is_signed_webhook(std::string_view body, std::string_view signature, const secret_string& secret)
{
    return net_detail::is_same_digest(signature, webhook_signature(body, secret));
}

}  // namespace weft
