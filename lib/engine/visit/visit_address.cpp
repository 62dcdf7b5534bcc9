#include "visit_address.hpp"

namespace weft {

namespace {

void append_escaped(std::string& to, std::string_view name)
{
    for (const char c : name) {
        switch (c) {
        case '%': to += "%25"; break;
        case '/': to += "%2F"; break;
        case '#': to += "%23"; break;
        default: to += c;
        }
    }
}

void append_visit(std::string& to, const graph& of, const frontier& where, const run_branch& t)
{
    const bool is_branch = t.region != no_index;
    if (is_branch) {
        append_visit(to, of, where, where.branches[where.regions[t.region].parent]);
        to.append(".").append(std::to_string(t.branch)).append("/");
    }
    if (t.node == start_node)
        to += "start";
    else
        append_escaped(to, of.name_of(t.node));
    to.append("#").append(std::to_string(is_branch ? t.step : t.visit));
}

}  // namespace

std::string visit_address(const graph& of, const frontier& where, branch_index branch)
{
    std::string address;
    append_visit(address, of, where, where.branches[branch]);
    return address;
}

std::string place_in_visit(std::string_view visit, std::string_view name, std::uint32_t count)
{
    std::string address{visit};
    address += '/';
    append_escaped(address, name);
    address.append("#").append(std::to_string(count));
    return address;
}

bool is_below(std::string_view address, std::string_view visit) noexcept
{
    return address.size() > visit.size() && address.starts_with(visit) && address[visit.size()] == '/';
}

}  // namespace weft
