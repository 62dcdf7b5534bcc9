#include <weft/tool/mcp/mcp_headers.hpp>

#include <weft/base/json/json_peek.hpp>
#include <weft/base/text/base64.hpp>
#include <weft/net/text/http_headers.hpp>

#include <algorithm>

namespace weft {

namespace {

using boost::json::object;
using boost::json::value;

constexpr std::string_view sentinel_begin = "=?base64?";
constexpr std::string_view sentinel_end = "?=";
constexpr std::string_view header_annotation = "x-mcp-header";
constexpr std::size_t header_schema_depth_max = 64;

bool is_header_blank(char c) noexcept { return c == ' ' || c == '\t'; }

bool looks_like_sentinel(std::string_view text) noexcept
{
    return text.starts_with(sentinel_begin) && text.ends_with(sentinel_end) &&
           text.size() >= sentinel_begin.size() + sentinel_end.size();
}

/** The text of a value that may stand in a header; nothing for null and for what the schema should not allow. */
std::optional<std::string> argument_text(const value& from)
{
    if (from.is_bool()) return from.get_bool() ? "true" : "false";
    if (from.is_string()) return std::string{from.get_string()};
    if (const auto number = peek_whole(from)) return std::to_string(*number);
    return std::nullopt;
}

bool may_be_in_header(const object& schema)
{
    const std::string_view type = peek_text(schema, "type");
    return type == "string" || type == "integer" || type == "boolean";
}

}  // namespace

std::string mcp_header_value(std::string_view text)
{
    const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 0x20 && c <= 0x7E) || c == '\t';
    });
    const bool has_blank_end = !text.empty() && (is_header_blank(text.front()) || is_header_blank(text.back()));
    if (is_plain && !has_blank_end && !looks_like_sentinel(text)) return std::string{text};
    return std::string{sentinel_begin}.append(to_base64(text)).append(sentinel_end);
}

std::optional<std::string> mcp_header_text(std::string_view value)
{
    if (!looks_like_sentinel(value)) return std::string{value};
    value.remove_prefix(sentinel_begin.size());
    value.remove_suffix(sentinel_end.size());
    return from_base64(value);
}

/** Walks a schema, and knows whether it came by `properties` alone. */
class mcp_argument_headers::reader {
public:
    explicit reader(std::string& why) : why_{why} {}

    void read_schema(const value& schema, std::size_t depth)
    {
        const object* in = schema.if_object();
        if (!in || !why_.empty()) return;
        if (depth > header_schema_depth_max) return refuse("its schema is too deep");
        if (const value* name = in->if_contains(header_annotation)) take(*name, *in);
        for (const auto& [keyword, below] : *in) {
            if (keyword == "properties" && below.is_object())
                read_properties(below.get_object(), depth);
            else if (keyword != header_annotation && keyword != "enum" && keyword != "const" && keyword != "default" &&
                     keyword != "examples")
                refuse_inside(below, depth + 1);
        }
    }

    std::vector<rule> rules;

private:
    void read_properties(const object& properties, std::size_t depth)
    {
        for (const auto& [name, schema] : properties) {
            path_.emplace_back(name);
            read_schema(schema, depth + 1);
            path_.pop_back();
        }
    }

    void take(const value& name, const object& schema)
    {
        const boost::json::string* text = name.if_string();
        if (!text || !is_http_token(std::string_view{*text})) return refuse("the name is no token");
        if (path_.empty() || !may_be_in_header(schema))
            return refuse("only properties that are strings, integers or booleans may have it");
        std::string header = "Mcp-Param-" + std::string{*text};
        for (const rule& other : rules)
            if (equals_ignoring_case(other.header, header)) return refuse("two properties have the same name");
        rules.push_back({path_, std::move(header)});
    }

    /** What is not reached by properties alone must have no annotation. */
    void refuse_inside(const value& part, std::size_t depth)
    {
        if (!why_.empty()) return;
        if (depth > header_schema_depth_max) return refuse("its schema is too deep");
        if (const object* members = part.if_object()) {
            if (members->contains(header_annotation)) return refuse("it stands where properties alone do not lead");
            for (const auto& [name, below] : *members) refuse_inside(below, depth + 1);
        } else if (const boost::json::array* items = part.if_array()) {
            for (const value& below : *items) refuse_inside(below, depth + 1);
        }
    }

    void refuse(std::string_view why) { why_ = "x-mcp-header: " + std::string{why}; }

    std::string& why_;
    std::vector<std::string> path_;
};

std::optional<mcp_argument_headers> mcp_argument_headers::read(const value& input_schema, std::string& why)
{
    why.clear();
    reader walk{why};
    walk.read_schema(input_schema, 0);
    if (!why.empty()) return std::nullopt;
    mcp_argument_headers found;
    found.rules_ = std::move(walk.rules);
    return found;
}

std::optional<std::string> mcp_argument_headers::text_for(const rule& of, const object& arguments)
{
    const object* in = &arguments;
    for (std::size_t i = 0; in && i + 1 < of.path.size(); ++i) in = peek_object(*in, of.path[i]);
    const value* given = in ? peek_member(*in, of.path.back()) : nullptr;
    return given ? argument_text(*given) : std::nullopt;
}

std::vector<std::pair<std::string, std::string>> mcp_argument_headers::of(const object& arguments) const
{
    std::vector<std::pair<std::string, std::string>> headers;
    for (const rule& each : rules_)
        if (const auto text = text_for(each, arguments)) headers.emplace_back(each.header, mcp_header_value(*text));
    return headers;
}

std::vector<std::string> mcp_argument_headers::absent(const object& arguments) const
{
    std::vector<std::string> headers;
    for (const rule& each : rules_)
        if (!text_for(each, arguments)) headers.push_back(each.header);
    return headers;
}

std::vector<std::pair<std::string, std::string>> mcp_request_headers(std::string_view method, const object& params)
{
    std::vector<std::pair<std::string, std::string>> headers{{"Mcp-Method", std::string{method}}};
    std::string_view name;
    if (method == "tools/call" || method == "prompts/get")
        name = peek_text(params, "name");
    else if (method == "resources/read")
        name = peek_text(params, "uri");
    else
        return headers;
    headers.emplace_back("Mcp-Name", mcp_header_value(name));
    return headers;
}

}  // namespace weft
