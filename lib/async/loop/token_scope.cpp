#include <weft/async/loop/token_scope.hpp>

#include <utility>

namespace weft {

token_scope::token_scope(std::stop_token token, serial_loop& loop, stop_scope* parent)
    : stoppable{[](stoppable& self) { static_cast<token_scope&>(self).request_stop(); }}, parent_{parent},
      token_{std::move(token)},
      bridge_{token_, loop, [](void* self) { static_cast<token_scope*>(self)->request_stop(); }, this}
{
    if (parent) lie_below(*parent, *this);
}

}  // namespace weft
