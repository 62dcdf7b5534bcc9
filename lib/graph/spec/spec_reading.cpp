#include <weft/graph/spec/spec_reading.hpp>

#include <weft/base/suggestion.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace weft {

namespace {

constexpr std::size_t listed_max = 12;  // of the names that are known

/** A name without what people get wrong first: case, and marks between and around words. */
std::string plain_form(std::string_view name)
{
    std::string form;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c))) form += static_cast<char>(std::tolower(c));
    return form;
}

/** Names that files of others, and programmers, use for ours; the first of ours that is known here is meant. */
constexpr std::array<std::pair<std::string_view, std::string_view>, 24> foreign_names{{
    {"str", "string"},       {"text", "string"},        {"int", "integer"},       {"float", "number"},
    {"double", "number"},    {"bool", "boolean"},       {"array", "list"},        {"dict", "object"},
    {"map", "object"},       {"else", "otherwise"},     {"default", "otherwise"}, {"onerror", "on_failure"},
    {"conditional", "when"}, {"condition", "when"},     {"expression", "when"},   {"source", "from"},
    {"target", "to"},        {"type", "kind"},          {"id", "name"},           {"start", "__start__"},
    {"end", "__end__"},      {"default", "initial"},    {"maxretries", "retry"},  {"value", "initial"},
}};

std::string_view nearest(std::string_view wrong, std::span<const std::string_view> known)
{
    // Names of others first: by letters alone another name could be closer.
    const std::string form = plain_form(wrong);
    for (const auto& [theirs, ours] : foreign_names)
        if (theirs == form && std::find(known.begin(), known.end(), ours) != known.end()) return ours;
    for (const std::string_view name : known)
        if (!form.empty() && plain_form(name) == form) return name;
    return closest_name(wrong, known);
}

}  // namespace

std::string known_names(std::string_view wrong, std::span<const std::string_view> known)
{
    std::string text;
    if (const std::string_view close = nearest(wrong, known); !close.empty())
        text.append(" (did you mean '").append(close).append("'?)");
    if (known.empty()) return text;
    text.append("; known: ");
    for (std::size_t i = 0; i < std::min(known.size(), listed_max); ++i)
        text.append(i == 0 ? "" : ", ").append(known[i]);
    if (known.size() > listed_max)
        text.append(" and ").append(std::to_string(known.size() - listed_max)).append(" more");
    return text;
}

std::string known_names(const spec_mistakes& mistakes, std::string_view wrong, std::span<const std::string_view> known)
{
    return mistakes.is_full() ? std::string{} : known_names(wrong, known);
}

namespace spec_detail {

const boost::json::object* read_object(const boost::json::value& from, const json_path& at, spec_mistakes& mistakes)
{
    try {
        return &json_detail::read_object(from, at);
    } catch (const error& e) {
        mistakes.add(at, e.detail());
        return nullptr;
    }
}

const boost::json::array* read_array(const boost::json::value& from, const json_path& at, spec_mistakes& mistakes)
{
    try {
        return &json_detail::read_array(from, at);
    } catch (const error& e) {
        mistakes.add(at, e.detail());
        return nullptr;
    }
}

std::size_t read_choice(const boost::json::value& from, const json_path& at, std::span<const std::string_view> names,
                        spec_mistakes& mistakes)
{
    std::string text;
    read_leaf(text, from, at, mistakes);
    if (!from.is_string()) return names.size();
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end())
        mistakes.add(at, "'" + text + "' is not possible here" + known_names(mistakes, text, names));
    return static_cast<std::size_t>(found - names.begin());
}

void read_leaf(spec_duration& into, const boost::json::value& from, const json_path& at, spec_mistakes& mistakes)
{
    try {
        into = json_detail::read<spec_duration>(from, {at, json_defaults});
    } catch (const error& e) {
        const std::string& why = e.detail();
        mistakes.add(at, R"(expected a whole number and a unit, such as "250ms", "20s" or "5m")" +
                             why.substr(std::min(why.find(", found "), why.size())));
    }
}

void check_members(const boost::json::object& from, const json_path& at, std::span<const std::string_view> known,
                   spec_mistakes& mistakes)
{
    for (const auto& [key, value] : from) {
        const std::string_view name{key.data(), key.size()};
        if (std::find(known.begin(), known.end(), name) == known.end())
            mistakes.add_at_name(json_path{at, name}, "there is no member '" + std::string{name} + "' here" +
                                                          known_names(mistakes, name, known));
    }
}

void add_missing(const json_path& at, std::string_view member, spec_mistakes& mistakes)
{
    mistakes.add(at, "the member '" + std::string{member} + "' is missing");
}

}  // namespace spec_detail

}  // namespace weft
