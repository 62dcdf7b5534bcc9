#include "redirect_target.hpp"

#include <string>

namespace weft::tool_detail {

namespace {

/** Whether a text begins with a scheme, which a path or query cannot. */
bool has_scheme(std::string_view text)
{
    const std::size_t colon = text.find(':');
    return colon != std::string_view::npos && colon < text.find_first_of("/?#");
}

}  // namespace

url redirect_target(const url& from, std::string_view location)
{
    const std::string_view target = location.substr(0, location.find('#'));
    if (has_scheme(target)) return url{target};
    if (target.starts_with("//")) return url{(from.is_https() ? "https:" : "http:") + std::string{target}};
    const std::string_view path = std::string_view{from.target()}.substr(0, from.target().find('?'));
    std::string whole = from.origin();
    if (target.empty()) whole += from.target();
    else if (target.front() == '/') whole += target;
    else if (target.front() == '?') whole.append(path).append(target);
    else whole.append(path.substr(0, path.rfind('/') + 1)).append(target);
    return url{whole};
}

}  // namespace weft::tool_detail
