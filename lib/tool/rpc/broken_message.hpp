#pragma once

#include <weft/base/error.hpp>
#include <weft/tool/rpc/json_rpc.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace weft::mcp_detail {

/** Which request a text answers that is to be a message of JSON-RPC and cannot be read as one: it is nested too deep,
 *  breaks the grammar, or lacks a member.
 *
 *  Looks for the members of the outer object only, as far as strings and brackets can be told apart.
 *
 *  @return   Nothing if no id is found, or if the message has a method and so is no answer. */
[[nodiscard]] std::optional<json_rpc_id> answered_id(std::string_view broken);

/** `errc::invalid_mcp_message` for an answer that cannot be read.
 *  @param why   What reading it came to. */
[[nodiscard]] error unreadable_answer(const std::string& label, const error& why);

}  // namespace weft::mcp_detail
