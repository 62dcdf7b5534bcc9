#include "std_includes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

namespace weft_tidy {

namespace {

/** Names of the namespace std, and the headers of which one is enough. */
struct std_name {
    std::string_view name;
    std::array<std::string_view, 3> headers;
};

constexpr std_name std_names[] = {
    {"string", {"string"}},
    {"to_string", {"string"}},
    {"string_view", {"string_view", "string"}},
    {"vector", {"vector"}},
    {"map", {"map"}},
    {"set", {"set"}},
    {"unordered_map", {"unordered_map"}},
    {"unordered_set", {"unordered_set"}},
    {"deque", {"deque"}},
    {"array", {"array"}},
    {"span", {"span"}},
    {"tuple", {"tuple"}},
    {"optional", {"optional"}},
    {"nullopt", {"optional"}},
    {"variant", {"variant"}},
    {"unique_ptr", {"memory"}},
    {"make_unique", {"memory"}},
    {"shared_ptr", {"memory"}},
    {"make_shared", {"memory"}},
    {"weak_ptr", {"memory"}},
    {"enable_shared_from_this", {"memory"}},
    {"function", {"functional"}},
    {"move", {"utility"}},
    {"forward", {"utility"}},
    {"exchange", {"utility"}},
    {"pair", {"utility", "map", "unordered_map"}},
    {"int32_t", {"cstdint"}},
    {"int64_t", {"cstdint"}},
    {"uint8_t", {"cstdint"}},
    {"uint16_t", {"cstdint"}},
    {"uint32_t", {"cstdint"}},
    {"uint64_t", {"cstdint"}},
    {"chrono", {"chrono"}},
    {"exception_ptr", {"exception"}},
    {"current_exception", {"exception"}},
    {"stop_token", {"stop_token"}},
    {"stop_source", {"stop_token"}},
    {"mutex", {"mutex"}},
    {"lock_guard", {"mutex"}},
    {"condition_variable", {"condition_variable"}},
    {"atomic", {"atomic"}},
    {"thread", {"thread"}},
    {"jthread", {"thread"}},
    {"coroutine_handle", {"coroutine"}},
    {"filesystem", {"filesystem"}},
    {"ostream", {"ostream", "iosfwd", "iostream"}},
    {"sort", {"algorithm"}},
    {"find_if", {"algorithm"}},
    {"any_of", {"algorithm"}},
    {"same_as", {"concepts"}},
    {"convertible_to", {"concepts"}},
    {"invocable", {"concepts"}},
    {"is_same_v", {"type_traits", "concepts"}},
    {"decay_t", {"type_traits", "concepts"}},
    {"remove_cvref_t", {"type_traits", "concepts"}},
};

constexpr std::string_view include_begin = "#include <";

std::vector<std::string> includes_of(const source_text& source)
{
    std::vector<std::string> includes;
    for (const std::string& line : source.lines) {
        if (!line.starts_with(include_begin)) continue;
        const std::size_t end = line.find('>');
        if (end != std::string::npos)
            includes.push_back(line.substr(include_begin.size(), end - include_begin.size()));
    }
    return includes;
}

using headers_by_path = std::map<std::string, const source_text*, std::less<>>;

/** All that a header includes, itself or by way of headers of weft. */
void collect(const source_text& source, const headers_by_path& headers, std::set<std::string>& into)
{
    for (const std::string& name : includes_of(source)) {
        if (!into.insert(name).second) continue;
        const auto own = headers.find("include/" + name);
        if (own != headers.end()) collect(*own->second, headers, into);
    }
}

/** The names behind `std::` in a line. */
std::vector<std::string_view> names_in(std::string_view line)
{
    constexpr std::string_view scope = "std::";
    std::vector<std::string_view> names;
    for (std::size_t at = line.find(scope); at != std::string_view::npos; at = line.find(scope, at + 1)) {
        if (at > 0 && (is_word(line[at - 1]) || line[at - 1] == ':')) continue;
        const std::size_t begin = at + scope.size();
        std::size_t end = begin;
        while (end < line.size() && is_word(line[end])) ++end;
        names.push_back(line.substr(begin, end - begin));
    }
    return names;
}

}  // namespace

void check_std_includes(const source_text& source, const std::vector<source_text>& project, mistakes& found)
{
    if (!source.is_under("include/") || !source.is_header()) return;
    headers_by_path headers;
    for (const source_text& each : project)
        if (each.is_under("include/") && each.is_header()) headers.emplace(each.path, &each);
    std::set<std::string> included;
    collect(source, headers, included);
    std::set<std::string_view> told;
    for (std::size_t i = 0; i < source.code.size(); ++i) {
        for (const std::string_view name : names_in(source.code[i])) {
            const auto* const known = std::find_if(std::begin(std_names), std::end(std_names),
                                                   [name](const std_name& each) { return each.name == name; });
            if (known == std::end(std_names) || !told.insert(known->headers[0]).second) continue;
            const bool is_there = std::any_of(known->headers.begin(), known->headers.end(), [&](auto header) {
                return !header.empty() && included.contains(std::string{header});
            });
            if (!is_there)
                found.push_back(source.path + ":" + std::to_string(i + 1) + ": uses std::" + std::string{name} +
                                ": include <" + std::string{known->headers[0]} + ">");
        }
    }
}

}  // namespace weft_tidy
