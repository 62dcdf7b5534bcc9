#include <weft/async/loop/token_scope.hpp>

#include <utility>

namespace weft {

token_scope::token_scope(std::stop_token token, serial_loop& loop, stop_scope* parent)
    : outer_stop_scope{[](const outer_stop_scope& self) noexcept {
                           return static_cast<const token_scope&>(self).token_.stop_requested();
                       },
                       parent},
      token_{std::move(token)},
      bridge_{token_, loop, [](void* self) { static_cast<token_scope*>(self)->request_stop(); }, this}
{
}

}  // namespace weft
