#include <weft/base/json.hpp>

#include <boost/json/parser.hpp>

#include <cstddef>
#include <utility>

namespace weft {

namespace {

std::string reason_of(const boost::system::error_code& code)
{
    if (code == boost::json::error::too_deep)
        return "nested deeper than " + std::to_string(json_depth_max);
    if (code == boost::json::error::incomplete) return "the text ends too early";
    if (code == boost::json::error::extra_data) return "the text goes on behind the value";
    return code.message();
}

}  // namespace

json_syntax_error::json_syntax_error(text_position position, std::string detail)
    : error{errc::invalid_json, position.text(), std::move(detail)}, position_{position}
{
}

boost::json::value parse_json(std::string_view text, boost::json::storage_ptr storage)
{
    constexpr std::size_t buffer_size = 2048;
    unsigned char buffer[buffer_size];
    boost::json::parse_options options;
    options.max_depth = json_depth_max;
    boost::json::parser parser{{}, options, buffer, sizeof buffer};
    parser.reset(std::move(storage));
    boost::system::error_code code;
    const std::size_t end = parser.write_some(text.data(), text.size(), code);
    if (!code && end < text.size()) code = boost::json::error::extra_data;
    if (code) throw json_syntax_error{position_in(text, end), reason_of(code)};
    return parser.release();
}

}  // namespace weft
