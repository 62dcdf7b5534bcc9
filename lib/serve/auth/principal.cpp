#include <weft/serve/principal.hpp>

#include <algorithm>

namespace weft {

bool principal::may(std::string_view resource, std::string_view action) const noexcept
{
    return std::any_of(scopes.begin(), scopes.end(), [&](std::string_view scope) {
        if (scope == "*") return true;
        const std::size_t colon = scope.find(':');
        if (colon == scope.npos) return false;
        const std::string_view of = scope.substr(0, colon);
        const std::string_view what = scope.substr(colon + 1);
        return (of == "*" || of == resource) && (what == "*" || what == action);
    });
}

}  // namespace weft
