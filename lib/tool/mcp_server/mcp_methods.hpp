#pragma once

#include <weft/async/task.hpp>

#include <boost/json/object.hpp>

#include <string_view>
#include <vector>

namespace weft::mcp_detail {

class mcp_core;
class served_call;

/** Answers a request by its method, of either era.
 *  @return      The result, without what the modern era adds to each.
 *  @par Errors  `mcp_rejection`, `mcp_input_required`; what functions of the program throw, but for tools. */
[[nodiscard]] task<boost::json::object> answer_method(mcp_core& core, served_call& call);

/** The methods that a server has, of both eras, and the notifications that it takes. */
[[nodiscard]] std::vector<std::string_view> method_names(const mcp_core& core);

}  // namespace weft::mcp_detail
