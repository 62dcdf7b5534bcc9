#include "stray_error.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include "openai_error.hpp"

namespace weft::model_detail {

std::optional<boost::json::object> stray_error(std::string_view stray_json)
{
    if (stray_json.empty()) return std::nullopt;
    try {
        boost::json::value stray = parse_json(stray_json);
        boost::json::array* const list = stray.if_array();
        boost::json::value& report = list && !list->empty() ? list->front() : stray;
        if (report.is_object() && reports_error(report.get_object())) return std::move(report.get_object());
    } catch (const error&) {
        // Not JSON as a whole: then it is noise.
    }
    return std::nullopt;
}

}  // namespace weft::model_detail
