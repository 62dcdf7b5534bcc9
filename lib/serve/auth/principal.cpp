#include <weft/serve/principal.hpp>

#include <algorithm>
#include <array>

namespace weft {

namespace {

constexpr std::array<std::string_view, 4> own_name_only{"keys", "queue", "metrics", "graphs"};

/** What a scope stands for; `*` alone is both. */
struct named_scope {
    std::string_view resource;
    std::string_view action;
    bool is_valid = true;
};

named_scope scope_named(std::string_view scope) noexcept
{
    if (scope == "*") return {"*", "*"};
    const std::size_t colon = scope.find(':');
    if (colon == scope.npos) return {{}, {}, false};
    return {scope.substr(0, colon), scope.substr(colon + 1)};
}

bool allows(std::string_view scope, std::string_view resource, std::string_view action) noexcept
{
    const named_scope named = scope_named(scope);
    const bool has_own_name = std::find(own_name_only.begin(), own_name_only.end(), resource) != own_name_only.end();
    const bool is_of_any = named.resource == "*" && !has_own_name;
    return named.is_valid && (is_of_any || named.resource == resource) &&
           (named.action == "*" || named.action == action);
}

}  // namespace

bool principal::may(std::string_view resource, std::string_view action) const noexcept
{
    return std::any_of(scopes.begin(), scopes.end(),
                       [&](std::string_view scope) { return allows(scope, resource, action); });
}

bool principal::has_all_of(std::string_view scope) const noexcept
{
    const named_scope wanted = scope_named(scope);
    return wanted.is_valid && may(wanted.resource, wanted.action);
}

}  // namespace weft
