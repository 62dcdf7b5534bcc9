#include <weft/serve/principal.hpp>

#include <algorithm>

namespace weft {

namespace {

constexpr std::string_view own_name_only = "keys";

/** What a scope stands for; `*` alone has both parts. */
struct scope_parts {
    std::string_view resource;
    std::string_view action;
    bool is_valid = true;
};

scope_parts parts_of(std::string_view scope) noexcept
{
    if (scope == "*") return {"*", "*"};
    const std::size_t colon = scope.find(':');
    if (colon == scope.npos) return {{}, {}, false};
    return {scope.substr(0, colon), scope.substr(colon + 1)};
}

bool allows(std::string_view scope, std::string_view resource, std::string_view action) noexcept
{
    const scope_parts parts = parts_of(scope);
    const bool is_of_any = parts.resource == "*" && resource != own_name_only;
    return parts.is_valid && (is_of_any || parts.resource == resource) &&
           (parts.action == "*" || parts.action == action);
}

}  // namespace

bool principal::may(std::string_view resource, std::string_view action) const noexcept
{
    return std::any_of(scopes.begin(), scopes.end(),
                       [&](std::string_view scope) { return allows(scope, resource, action); });
}

bool principal::has_all_of(std::string_view scope) const noexcept
{
    const scope_parts wanted = parts_of(scope);
    return wanted.is_valid && may(wanted.resource, wanted.action);
}

}  // namespace weft
