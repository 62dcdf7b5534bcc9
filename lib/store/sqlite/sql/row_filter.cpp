#include "row_filter.hpp"

#include "store/record/json_contains.hpp"

#include <weft/base/json.hpp>
#include <weft/base/json/json_reading.hpp>

#include <algorithm>
#include <optional>

namespace weft::sqlite_detail {

namespace {

/** Whether JSON has one way to write it, as long as it escapes nothing. */
bool is_plain_word(std::string_view text) noexcept
{
    return std::all_of(text.begin(), text.end(),
                       [](unsigned char each) { return each >= 0x20 && each != '"' && each != '\\'; });
}

}  // namespace

row_filter::row_filter(std::string_view text) : part_{parse_json(text)} { add_words(part_); }

void row_filter::add_words(const boost::json::value& part)
{
    if (part.is_string()) add_word(part.get_string());
    if (part.is_array())
        for (const boost::json::value& each : part.get_array()) add_words(each);
    if (!part.is_object()) return;
    for (const auto& [name, value] : part.get_object()) {
        add_word(name);
        add_words(value);
    }
}

void row_filter::add_word(std::string_view word)
{
    if (is_plain_word(word)) words_.push_back('"' + std::string{word} + '"');
}

bool row_filter::may_be_in(std::string_view json) const noexcept
{
    const bool has_all = std::all_of(words_.begin(), words_.end(), [&](const std::string& word) {
        return json.find(word) != std::string_view::npos;
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
