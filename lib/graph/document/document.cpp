#include "document.hpp"

#include "json_outline.hpp"
#include "yaml_document.hpp"

#include <weft/base/json.hpp>
#include <weft/base/text/ascii_text.hpp>
#include <weft/base/utf8.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace weft {

namespace {

std::size_t members_in(const boost::json::value& value)
{
    std::size_t count = 0;
    if (const boost::json::object* const object = value.if_object()) {
        count = object->size();
        for (const auto& member : *object) count += members_in(member.value());
    } else if (const boost::json::array* const array = value.if_array()) {
        for (const boost::json::value& item : *array) count += members_in(item);
    }
    return count;
}

/** The text from a place on. */
std::string_view rest_of(std::string_view text, text_position from)
{
    for (std::uint32_t line = 1; line < from.line; ++line) text.remove_prefix(text.find('\n') + 1);
    for (std::uint32_t column = 1; column < from.column && !text.empty(); ++column)
        text.remove_prefix(std::min(code_point_bytes(text), text.size()));
    return text;
}

/** What a mistake of syntax means where people make it: in JSON that has what YAML, Python or JavaScript have. */
std::string_view meaning_of(std::string_view text, text_position at)
{
    const std::string_view rest = rest_of(text, at);
    const std::string_view before = trimmed(text.substr(0, text.size() - rest.size()));
    if (rest.empty()) return {};
    if ((rest.front() == '}' || rest.front() == ']') && before.ends_with(',')) return ": a ',' too many before it";
    if (rest.front() == '/' || rest.front() == '#') return ": JSON has no comments; YAML has them, in a file .yaml";
    if (rest.front() == '\'') return ": texts and names stand in double quotes";
    if (rest.starts_with("True") || rest.starts_with("False") || rest.starts_with("None"))
        return ": write true, false or null";
    return {};
}

/** Why a text is not read at all; empty if it is. */
std::string refusal_of(std::string_view text, bool is_yaml, std::size_t bytes_max)
{
    const std::size_t limit = is_yaml ? std::min(bytes_max, yaml_bytes_max) : bytes_max;
    if (text.size() > limit)
        return "the text has more than " + std::to_string(limit) + " bytes: divide the graph into several files" +
               (is_yaml ? ", or write it as JSON" : "");
    const std::string_view begin = without_byte_order_mark(text);
    const bool is_utf16 = begin.starts_with("\xff\xfe") || begin.starts_with("\xfe\xff");
    return is_utf16 ? "the text is UTF-16: save it as UTF-8" : "";
}

}  // namespace

document::document(std::string_view text, graph_file_format format, limits within)
    : text_{without_byte_order_mark(text)}, mistakes_{text_, within.mistakes_max}
{
    const bool is_yaml = format == graph_file_format::yaml;
    const std::string refusal = refusal_of(text, is_yaml, within.bytes_max);
    if (!refusal.empty()) {
        mistakes_.add(text_position{}, json_path{}, refusal);
    } else if (is_yaml) {
        yaml_document read = read_yaml(text_, mistakes_);
        value_ = std::move(read.value);
        outline_ = std::move(read.where);
    } else {
        read_json();
    }
}

void document::read_json()
{
    try {
        // The parser gives no places. An outline is made by a second walk, which texts without mistakes never pay for.
        value_ = parse_json(text_);
    } catch (const json_syntax_error& e) {
        const bool is_object = trimmed(text_).starts_with('{');
        return mistakes_.add(e.position(), json_path{},
                             "this is no JSON: " + e.detail() + std::string{meaning_of(text_, e.position())} +
                                 (is_object ? "" : "; call a YAML file .yaml or .yml"));
    }
    // JSON leaves open which of two members of one name counts, so people would not see that one is lost.
    if (count_members(text_) != members_in(*value_)) outline_ = outline_of_json(text_, mistakes_);
}

text_position document::position_of(const json_path& at) { return mistakes_.position_at(outline().value_at(at)); }

text_position document::position_of_name(const json_path& at) { return mistakes_.position_at(outline().name_at(at)); }

const document_outline& document::outline()
{
    document_mistakes unwanted{text_, 0};
    if (!outline_) outline_ = outline_of_json(text_, unwanted);
    return *outline_;
}

std::string_view without_byte_order_mark(std::string_view text) noexcept
{
    constexpr std::string_view mark = "\xef\xbb\xbf";
    return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

}  // namespace weft
