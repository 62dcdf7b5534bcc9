#include "expression_signatures.hpp"

#include <weft/base/suggestion.hpp>

#include <algorithm>

namespace weft::expression_detail {

namespace {

std::string count_of(std::uint8_t arguments)
{
    return std::to_string(arguments) + " argument" + (arguments == 1 ? "" : "s");
}

}  // namespace

std::span<const callable> functions() noexcept
{
    static constexpr callable all[] = {
        {"len", 1, 1, ""},          {"int", 0, 2, "base "},    {"float", 0, 1, ""},
        {"str", 0, 1, "object "},   {"bool", 0, 1, ""},        {"list", 0, 1, ""},
        {"dict", 0, 1, "*"},        {"tuple", 0, 1, ""},       {"set", 0, 1, ""},
        {"min", 1, callable::any, "key default "},             {"max", 1, callable::any, "key default "},
        {"sum", 1, 2, "start "},    {"abs", 1, 1, ""},         {"round", 0, 2, "number ndigits "},
        {"all", 1, 1, ""},          {"any", 1, 1, ""},
    };
    return all;
}

std::span<const callable> methods() noexcept
{
    static constexpr callable all[] = {
        {"get", 1, 2, ""},   {"keys", 0, 0, ""},  {"values", 0, 0, ""}, {"items", 0, 0, ""},
        {"lower", 0, 0, ""}, {"upper", 0, 0, ""}, {"strip", 0, 1, ""},  {"split", 0, 2, "sep maxsplit "},
    };
    return all;
}

const callable* find_callable(std::span<const callable> among, std::string_view name) noexcept
{
    const auto found = std::find_if(among.begin(), among.end(), [&](const callable& c) { return c.name == name; });
    return found == among.end() ? nullptr : &*found;
}

std::string no_callable(std::span<const callable> among, std::string_view name, std::string_view what)
{
    std::vector<std::string_view> known;
    std::string list;
    for (const callable& c : among) {
        known.push_back(c.name);
        list.append(list.empty() ? "" : ", ").append(c.name);
    }
    return "calling the " + std::string{what} + " '" + std::string{name} + "' is not allowed" +
           did_you_mean(name, known) + "; allowed are " + list;
}

std::string wrong_count(const call_site& site, const callable& what)
{
    const std::string name = std::string{what.name} + "()";
    if (site.positional < what.arguments_min) return name + " needs at least " + count_of(what.arguments_min);
    if (what.arguments_max != callable::any && site.positional > what.arguments_max)
        return name + " takes at most " + count_of(what.arguments_max);
    return {};
}

}  // namespace weft::expression_detail
