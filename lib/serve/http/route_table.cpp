#include "route_table.hpp"

#include "url_text.hpp"

#include <weft/base/error.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace weft::serve_detail {

namespace {

/** Takes the first segment of a path off, without its slash. */
std::string_view next_segment(std::string_view& path)
{
    if (path.starts_with('/')) path.remove_prefix(1);
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    return segment;
}

}  // namespace

http_reply detail_form(const refusal& why)
{
    boost::json::object body;
    body["detail"] = why.message;
    body["code"] = why.code;
    return http_reply{why.status, boost::json::serialize(body), "application/json"};
}

void route_table::add(route what)
{
    place* at = &root_;
    for (std::string_view rest = what.pattern; !rest.empty();) {
        const std::string_view segment = next_segment(rest);
        if (segment.starts_with('{')) {
            if (at->any.empty()) at->any.emplace_back();
            at = &at->any.front();
        } else {
            at = &at->named[std::string{segment}];
        }
    }
    const std::string name = what.method + ' ' + what.pattern;
    const std::string method = what.method;
    if (!at->routes.emplace(method, std::move(what)).second)
        throw error{errc::invalid_configuration, "route " + name, "there is one already"};
}

const route_table::place* route_table::walk(const place& at, std::string_view path, std::vector<std::string>& parts)
{
    if (path.empty()) return at.routes.empty() ? nullptr : &at;
    std::string_view rest = path;
    const std::string_view segment = next_segment(rest);
    // A text may be that of a word, and the path only go on behind a variable: so both are tried.
    if (const auto named = at.named.find(segment); named != at.named.end())
        if (const place* const end = walk(named->second, rest, parts)) return end;
    if (at.any.empty() || segment.empty()) return nullptr;
    std::optional<std::string> part = percent_decoded(segment);
    if (!part) return nullptr;
    parts.push_back(std::move(*part));
    const place* const end = walk(at.any.front(), rest, parts);
    if (!end) parts.pop_back();
    return end;
}

route_table::found route_table::find(std::string_view method, std::string_view path) const
{
    found result;
    // A slash at the end is one that clients add or leave out at will.
    if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    const place* const end = walk(root_, path == "/" ? std::string_view{} : path, result.parts);
    if (!end) return result;
    auto which = end->routes.find(method);
    if (which == end->routes.end() && method == "HEAD") which = end->routes.find("GET");
    if (which != end->routes.end()) result.which = &which->second;
    for (const auto& [name, of] : end->routes) result.allowed.append(result.allowed.empty() ? "" : ", ").append(name);
    return result;
}

refusal_form route_table::form_of(std::string_view path) const noexcept
{
    for (const auto& [prefix, form] : forms_) {
        const bool is_below = path.starts_with(prefix);
        if (is_below && (path.size() == prefix.size() || path[prefix.size()] == '/')) return form;
    }
    return detail_form;
}

void route_table::collect(const place& at, std::vector<const route*>& all)
{
    for (const auto& [method, of] : at.routes) all.push_back(&of);
    for (const auto& [name, below] : at.named) collect(below, all);
    for (const place& below : at.any) collect(below, all);
}

std::vector<const route*> route_table::all() const
{
    std::vector<const route*> result;
    collect(root_, result);
    std::sort(result.begin(), result.end(), [](const route* a, const route* b) {
        return std::tie(a->pattern, a->method) < std::tie(b->pattern, b->method);
    });
    return result;
}

}  // namespace weft::serve_detail
