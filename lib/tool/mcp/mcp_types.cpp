#include <weft/tool/mcp/mcp_types.hpp>

#include <utility>

namespace weft {

mcp_call_result mcp_call_result::of_text(std::string words)
{
    mcp_call_result result;
    mcp_content piece;
    piece.what = mcp_content::kind::text;
    piece.text = std::move(words);
    result.content.push_back(std::move(piece));
    return result;
}

mcp_call_result mcp_call_result::error(std::string words)
{
    mcp_call_result result = of_text(std::move(words));
    result.is_error = true;
    return result;
}

std::string mcp_call_result::text() const
{
    std::string joined;
    for (const mcp_content& piece : content) {
        if (piece.text.empty()) continue;
        if (!joined.empty()) joined += '\n';
        joined += piece.text;
    }
    return joined;
}

}  // namespace weft
