#include <weft/base/json.hpp>

#include <weft/base/error.hpp>

#include <boost/json/parser.hpp>

#include <algorithm>
#include <cstddef>

namespace weft {

namespace {

std::string position_of(std::string_view text, std::size_t offset)
{
    const std::string_view before = text.substr(0, offset);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::string_view in_line = before.substr(before.rfind('\n') + 1);   // npos + 1 is 0.
    const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
    const auto column = 1 + std::count_if(in_line.begin(), in_line.end(), is_start);
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

std::string reason_of(const boost::system::error_code& code)
{
    if (code == boost::json::error::too_deep)
        return "nested deeper than " + std::to_string(json_depth_max);
    if (code == boost::json::error::incomplete) return "the text ends too early";
    if (code == boost::json::error::extra_data) return "the text goes on behind the value";
    return code.message();
}

}  // namespace

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
    if (code) throw error{errc::invalid_json, position_of(text, end), reason_of(code)};
    return parser.release();
}

}  // namespace weft
