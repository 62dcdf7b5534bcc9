#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string_view>

namespace weft::model_detail {

/** The error in what stood in a body outside of events, if there is one: servers and proxies append late errors so. */
[[nodiscard]] std::optional<boost::json::object> stray_error(std::string_view stray_json);

}  // namespace weft::model_detail
