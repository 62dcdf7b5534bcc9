#include <weft/base/json.hpp>

#include <weft/base/json/json_reading.hpp>

#include <utility>

namespace weft {

json_syntax_error::json_syntax_error(text_position position, std::string detail)
    : error{errc::invalid_json, position.text(), std::move(detail)}, position_{position}
{
}

boost::json::value parse_json(std::string_view text, boost::json::storage_ptr storage)
{
    return parse_json_as(text, json_reading{}, std::move(storage));
}

boost::json::value parse_own_json(std::string_view text)
{
    json_reading how;
    how.takes_any_bytes = true;
    return parse_json_as(text, how);
}

}  // namespace weft
