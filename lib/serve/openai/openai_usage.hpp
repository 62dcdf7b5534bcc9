#pragma once

#include <weft/chat/usage.hpp>

#include <boost/json/object.hpp>

namespace weft::serve_detail {

/** What a run has used, in the form of chat completions. */
[[nodiscard]] boost::json::object completion_usage_view(const usage& used);
/** The same in the form of Responses. */
[[nodiscard]] boost::json::object response_usage_view(const usage& used);

}  // namespace weft::serve_detail
