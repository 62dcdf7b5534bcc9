#include "json_schema_text.hpp"

#include <weft/base/utf8.hpp>

#include <boost/json/serialize.hpp>

#include <array>

namespace weft::schema_detail {

namespace {

constexpr std::size_t text_max = 60;    // bytes of a value that a sentence shows
constexpr std::size_t listed_max = 12;  // values

std::string cut(std::string_view text)
{
    const std::string whole = repaired_utf8(text.substr(0, text_max + 4));
    if (text.size() <= text_max) return whole;
    return std::string{truncated_utf8(whole, text_max)} + "…";
}

/** A value is shown only if it is small, so that showing it is quick. */
bool is_small(const boost::json::value& value)
{
    if (value.is_array()) return value.get_array().empty();
    if (value.is_object()) return value.get_object().empty();
    return true;
}

}  // namespace

std::string counted(std::uint64_t count, std::string_view what)
{
    return std::to_string(count) + ' ' + std::string{what} + (count == 1 ? "" : "s");
}

std::string short_text_of(const boost::json::value& value)
{
    if (value.is_string())
        return '\'' + cut({value.get_string().data(), value.get_string().size()}) + '\'';
    if (is_small(value)) return boost::json::serialize(value);
    return description_of(value);
}

std::string description_of(const boost::json::value& value)
{
    switch (value.kind()) {
    case boost::json::kind::null: return "null";
    case boost::json::kind::bool_: return value.get_bool() ? "true" : "false";
    case boost::json::kind::int64:
    case boost::json::kind::uint64: return "the integer " + boost::json::serialize(value);
    case boost::json::kind::double_: return "the number " + boost::json::serialize(value);
    case boost::json::kind::string: return "the string " + short_text_of(value);
    case boost::json::kind::array: return "an array of " + counted(value.get_array().size(), "item");
    case boost::json::kind::object: break;
    }
    return "an object";
}

std::string description_of(type_set types)
{
    static constexpr std::array<std::string_view, 7> names{"null",     "a boolean", "an integer", "a number",
                                                           "a string", "an array",  "an object"};
    if (types & number_type) types &= static_cast<type_set>(~integer_type);
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto bit = static_cast<type_set>(1U << i);
        if (!(types & bit)) continue;
        types &= static_cast<type_set>(~bit);
        if (!text.empty()) text += types == 0 ? " or " : ", ";
        text += names[i];
    }
    return text.empty() ? "nothing" : text;
}

std::string list_of(const boost::json::array& values)
{
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i == listed_max) return text + " and " + std::to_string(values.size() - i) + " more";
        text.append(i == 0 ? "" : ", ").append(short_text_of(values[i]));
    }
    return text;
}

}  // namespace weft::schema_detail
