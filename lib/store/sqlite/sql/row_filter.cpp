#include "row_filter.hpp"

#include "store/record/json_contains.hpp"

#include <weft/base/json.hpp>
#include <weft/base/json/json_reading.hpp>

#include <algorithm>
#include <optional>

namespace weft::sqlite_detail {

namespace {

/** Whether JSON has one way to write it, as long as it escapes nothing. */
bool is_plain_text(std::string_view text) noexcept
{
    return std::all_of(text.begin(), text.end(),
                       [](unsigned char each) { return each >= 0x20 && each != '"' && each != '\\'; });
}

}  // namespace

// In braces it would be a list with the object in it.
row_filter::row_filter(std::string_view text) : part_(parse_json(text)) { add_texts(part_); }

void row_filter::add_texts(const boost::json::value& part)
{
    if (part.is_string()) add_text(part.get_string());
    if (part.is_array())
        for (const boost::json::value& each : part.get_array()) add_texts(each);
    if (!part.is_object()) return;
    for (const auto& [name, value] : part.get_object()) {
        add_text(name);
        add_texts(value);
    }
}

void row_filter::add_text(std::string_view text)
{
    if (is_plain_text(text)) texts_.push_back('"' + std::string{text} + '"');
}

bool row_filter::may_be_in(std::string_view json) const noexcept
{
    const bool has_all = std::all_of(texts_.begin(), texts_.end(), [&](const std::string& text) {
        return json.find(text) != std::string_view::npos;
    });
    // An escaped letter may be any: "\u0061" is "a".
    return has_all || json.find('\\') != std::string_view::npos;
}

bool row_filter::is_in(std::string_view json) const
{
    if (!may_be_in(json)) return false;
    const std::optional<boost::json::value> whole = try_parse_json(json);
    return whole && json_contains(*whole, part_);
}

}  // namespace weft::sqlite_detail
