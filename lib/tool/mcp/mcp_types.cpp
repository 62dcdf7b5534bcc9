#include <weft/tool/mcp/mcp_types.hpp>

namespace weft {

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
