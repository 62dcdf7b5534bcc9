#include <weft/base/json_text.hpp>

#include <weft/base/json_read.hpp>

#include <boost/json/serialize.hpp>

#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace weft {

namespace {

/** Numbers in between are shortest without an exponent, or nearly so. */
constexpr double plain_min = 1e-6;
constexpr double plain_max = 1e15;

void append_real(std::string& text, double number)
{
    const double size = std::abs(number);
    if (number != 0 && !(plain_min <= size && size < plain_max)) {
        text += boost::json::serialize(boost::json::value(number));
        return;
    }
    char digits[64];
    const auto end = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed).ptr;
    const std::string_view plain{digits, static_cast<std::size_t>(end - digits)};
    text += plain;
    if (plain.find('.') == std::string_view::npos) text += ".0";
}

void append(std::string& text, const boost::json::value& from, std::size_t depth)
{
    if (const double* const number = from.if_double()) return append_real(text, *number);
    if (depth == json_depth_max || !from.is_structured()) {
        text += boost::json::serialize(from);
        return;
    }
    bool is_first = true;
    if (const boost::json::array* const list = from.if_array()) {
        text += '[';
        for (const boost::json::value& item : *list) {
            if (!std::exchange(is_first, false)) text += ',';
            append(text, item, depth + 1);
        }
        text += ']';
        return;
    }
    text += '{';
    for (const boost::json::key_value_pair& member : from.get_object()) {
        if (!std::exchange(is_first, false)) text += ',';
        text.append(boost::json::serialize(member.key())) += ':';
        append(text, member.value(), depth + 1);
    }
    text += '}';
}

}  // namespace

std::string to_json_text(const boost::json::value& from)
{
    std::string text;
    append(text, from, 0);
    return text;
}

}  // namespace weft
