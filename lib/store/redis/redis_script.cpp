#include <weft/store/redis/redis_script.hpp>

#include <weft/base/text/base64.hpp>
#include <weft/net/text/digest.hpp>

#include <utility>

namespace weft {

redis_script::redis_script(std::string text) : text_{std::move(text)}
{
    name_ = to_hex(net_detail::sha1(text_));
}

}  // namespace weft
