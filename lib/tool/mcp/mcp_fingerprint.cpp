#include <weft/tool/mcp_tools.hpp>

#include <weft/base/json/json_text.hpp>
#include <weft/base/text/base64.hpp>
#include <weft/net/text/digest.hpp>

namespace weft {

namespace {

constexpr std::size_t tool_name_max = 64;
constexpr std::size_t name_digest_size = 8;

std::string sha256_hex(std::string_view text) { return to_hex(net_detail::sha256(text)); }

}  // namespace

std::string mcp_fingerprint(const mcp_tool& definition)
{
    boost::json::object all;
    all["name"] = definition.name;
    all["title"] = definition.title;
    all["description"] = definition.description;
    all["input"] = definition.input_schema;
    all["output"] = definition.output_schema;
    all["hints"] = boost::json::array{definition.hints.is_read_only, definition.hints.is_destructive,
                                      definition.hints.is_idempotent, definition.hints.is_open_world};
    return sha256_hex(to_canonical_json_text(all));
}

std::string mcp_tool_name(std::string_view prefix, std::string_view name)
{
    std::string made{prefix};
    if (!made.empty()) made += "__";
    made += name;
    const std::string whole = made;
    for (char& c : made) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool is_allowed = is_letter || (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!is_allowed) c = '_';
    }
    if (made.size() <= tool_name_max) return made;
    made.resize(tool_name_max - name_digest_size - 1);
    return made + "_" + sha256_hex(whole).substr(0, name_digest_size);
}

}  // namespace weft
