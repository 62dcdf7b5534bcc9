#pragma once

#include <weft/base/error.hpp>
#include <weft/net/secret_string.hpp>

#include <string>
#include <string_view>

namespace weft::redis_detail {

/** What an error of a server means: its first word says what kind it is. */
[[nodiscard]] errc errc_of_reply(std::string_view words) noexcept;

/** The error that a server's words come to, without the password that they might repeat. */
[[nodiscard]] error refusal(const std::string& endpoint, std::string_view words, const secret_string& password);

/** Whether another attempt to connect may succeed by itself. */
[[nodiscard]] bool is_passing(errc code) noexcept;

}  // namespace weft::redis_detail
