#include <weft/net/server/websocket_session.hpp>

#include "websocket_link.hpp"

#include <utility>

namespace weft {

const std::string& websocket_session::protocol() const noexcept { return link_->protocol(); }

task<std::optional<std::string>> websocket_session::receive() { return link_->receive(); }

task<void> websocket_session::send(std::string text) { return link_->send(std::move(text)); }

void websocket_session::close(std::uint16_t code, std::string_view reason) { link_->close(code, reason); }

bool websocket_session::is_open() const noexcept { return link_->close_code() == 0; }

std::uint16_t websocket_session::close_code() const noexcept { return link_->close_code(); }

}  // namespace weft
