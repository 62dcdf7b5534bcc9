#pragma once

#include <weft/async/loop/stop_bridge.hpp>
#include <weft/async/loop/stop_scope.hpp>

#include <stop_token>

namespace weft {

/** A stop scope that a standard token stops as well, from any OS thread.
 *
 *  The loop carries the stop out at its next turn; `stop_is_due` tells it at once.
 *
 *  @par Thread safety   As a stop scope; the token may be stopped on any OS thread at any time.
 */
class token_scope final : public outer_stop_scope, private stoppable {
public:
    token_scope(std::stop_token token, serial_loop& loop, stop_scope* parent = nullptr);

private:
    bool is_due() const noexcept override { return token_.stop_requested(); }
    const stop_scope* lies_in() const noexcept override { return parent_; }

    const stop_scope* parent_;  // null: there is none
    std::stop_token token_;
    stop_bridge bridge_;
};

}  // namespace weft
