#include "mcp_text.hpp"

#include <weft/base/text/untrusted_text.hpp>
#include <weft/base/utf8.hpp>

namespace weft::mcp_detail {

std::string harmless_text(std::string_view from, std::size_t bytes_max)
{
    // Nothing far beyond what can be kept is looked at.
    std::string text = neutral_text(from.substr(0, bytes_max * 4 + 4));
    if (text.size() <= bytes_max) return text;
    text.resize(truncated_utf8(text, bytes_max).size());
    return text + "…";
}

}  // namespace weft::mcp_detail
