#include <weft/net/options/http_response_head.hpp>

#include <algorithm>

namespace weft {

std::string http_response_head::media_type() const
{
    std::string_view type = headers.find("content-type").value_or("");
    type = type.substr(0, type.find(';'));
    const std::size_t last = type.find_last_not_of(" \t");
    std::string result{type.substr(0, last == std::string_view::npos ? 0 : last + 1)};
    std::transform(result.begin(), result.end(), result.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return result;
}

}  // namespace weft
