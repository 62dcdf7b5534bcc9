#include "json_schema_compiler.hpp"
#include "json_schema_words.hpp"

#include <weft/base/suggestion.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace weft::schema_detail {

namespace {

template <class Rules>
Rules& made(std::unique_ptr<Rules>& rules)
{
    if (!rules) rules = std::make_unique<Rules>();
    return *rules;
}

}  // namespace

const boost::json::object& schema_compiler::object_of(const value& from, const json_path& at)
{
    if (!from.is_object()) refuse(at, "expected an object, got " + description_of(from));
    return from.get_object();
}

const boost::json::array& schema_compiler::array_of(const value& from, const json_path& at)
{
    if (!from.is_array()) refuse(at, "expected an array, got " + description_of(from));
    return from.get_array();
}

const boost::json::value& schema_compiler::number_of(const value& from, const json_path& at)
{
    const bool is_finite = from.is_number() && (!from.is_double() || std::isfinite(from.get_double()));
    if (!is_finite) refuse(at, "expected a number, got " + description_of(from));
    return from;
}

std::uint64_t schema_compiler::count_of(const value& from, const json_path& at)
{
    if (from.is_int64() && from.get_int64() >= 0) return static_cast<std::uint64_t>(from.get_int64());
    if (from.is_uint64()) return from.get_uint64();
    constexpr double beyond = 1e18;
    if (from.is_double() && from.get_double() >= 0 && from.get_double() < beyond &&
        std::trunc(from.get_double()) == from.get_double())
        return static_cast<std::uint64_t>(from.get_double());
    refuse(at, "expected an integer that is not negative, got " + description_of(from));
}

std::string_view schema_compiler::text_of(const value& from, const json_path& at)
{
    if (!from.is_string()) refuse(at, "expected a string, got " + description_of(from));
    return {from.get_string().data(), from.get_string().size()};
}

bool schema_compiler::boolean_of(const value& from, const json_path& at)
{
    if (!from.is_bool()) refuse(at, "expected true or false, got " + description_of(from));
    return from.get_bool();
}

std::vector<std::string_view> schema_compiler::names_of(const value& from, const json_path& at)
{
    std::vector<std::string_view> names;
    const boost::json::array& all = array_of(from, at);
    for (std::size_t i = 0; i < all.size(); ++i) names.push_back(text_of(all[i], json_path{at, i}));
    return names;
}

schema_pattern schema_compiler::pattern_of(std::string_view text, const json_path& at)
{
    if (text.size() > program_.limits.pattern_bytes_max)
        refuse(at, "is a pattern of " + std::to_string(text.size()) + " bytes, and " +
                       std::to_string(program_.limits.pattern_bytes_max) + " are allowed");
    std::string reason;
    try {
        return schema_pattern{text};
    } catch (const std::invalid_argument& e) {
        reason = e.what();
    }
    refuse(at, "is no regular expression: " + reason);
}

type_set schema_compiler::type_of(const value& from, const json_path& at)
{
    static constexpr std::array<std::string_view, 7> names{"null",   "boolean", "integer", "number",
                                                           "string", "array",   "object"};
    const std::string_view name = text_of(from, at);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
        refuse(at, "there is no type '" + std::string{name} + "'" + did_you_mean(name, names) +
                       "; the types are null, boolean, integer, number, string, array, object");
    const auto set = static_cast<type_set>(1U << (found - names.begin()));
    return set == number_type ? number_type | integer_type : set;
}

std::vector<schema_index> schema_compiler::list_of(const value& from, const json_path& at)
{
    const boost::json::array& all = array_of(from, at);
    std::vector<schema_index> result;
    for (std::size_t i = 0; i < all.size(); ++i) result.push_back(compile_at(all[i], json_path{at, i}));
    return result;
}

void schema_compiler::take_reference(schema_node& to, const value& from, const json_path& at)
{
    const std::string_view text = text_of(from, at);
    const std::size_t fragment = std::min(text.find('#'), text.size());
    const std::string_view document = text.substr(0, fragment);
    const std::string_view pointer = text.substr(std::min(fragment + 1, text.size()));
    if (!document.empty() && document != id_)
        refuse(at, "refers to another document, '" + std::string{document} +
                       "': put what it needs into $defs and refer to '#/$defs/…'");
    if (!pointer.empty() && pointer[0] != '/')
        refuse(at, "refers to an anchor, '" + std::string{pointer} +
                       "': refer to '#' or by a JSON pointer, '#/$defs/…'");
    references_.push_back({std::string{pointer}, to.index, to.all_of.size(), at.text()});
    to.all_of.push_back(no_schema);
}

void schema_compiler::take_unsupported(schema_node&, const value&, const json_path& at)
{
    refuse(at, "is a keyword that is not supported, and ignoring it would let wrong values pass");
}

/** References inside another `$id` would have another base. */
void schema_compiler::take_id(schema_node& to, const value& from, const json_path& at)
{
    const std::string_view id = text_of(from, at);
    if (&to != &program_.nodes.front() && !id.starts_with('#'))
        refuse(at, "gives a part of the schema a name of its own, which is not supported: leave it out");
}

void schema_compiler::take_definitions(schema_node&, const value& from, const json_path& at)
{
    for (const auto& [name, schema] : object_of(from, at))
        (void)compile_at(schema, json_path{at, std::string_view{name.data(), name.size()}});
}

void schema_compiler::take_type(schema_node& to, const value& from, const json_path& at)
{
    type_set types = 0;
    if (from.is_array()) {
        const boost::json::array& all = from.get_array();
        for (std::size_t i = 0; i < all.size(); ++i) types |= type_of(all[i], json_path{at, i});
        if (types == 0) refuse(at, "lists no type: name at least one, or leave it out");
    } else {
        types = type_of(from, at);
    }
    to.types = types;
}

void schema_compiler::take_enum(schema_node& to, const value& from, const json_path& at)
{
    to.choices = &array_of(from, at);
}

void schema_compiler::take_const(schema_node& to, const value& from, const json_path&) { to.constant = &from; }

void schema_compiler::take_properties(schema_node& to, const value& from, const json_path& at)
{
    object_rules& rules = made(to.objects);
    rules.known = &object_of(from, at);
    for (const auto& [key, schema] : *rules.known) {
        const std::string_view name{key.data(), key.size()};
        rules.properties.push_back({name, compile_at(schema, json_path{at, name})});
    }
}

void schema_compiler::take_pattern_properties(schema_node& to, const value& from, const json_path& at)
{
    for (const auto& [key, schema] : object_of(from, at)) {
        const std::string_view name{key.data(), key.size()};
        const json_path path{at, name};
        schema_pattern pattern = pattern_of(name, path);
        made(to.objects).patterns.push_back({std::move(pattern), compile_at(schema, path)});
    }
}

void schema_compiler::take_additional(schema_node& to, const value& from, const json_path& at)
{
    made(to.objects).additional = compile_at(from, at);
}

void schema_compiler::take_property_names(schema_node& to, const value& from, const json_path& at)
{
    made(to.objects).names = compile_at(from, at);
}

void schema_compiler::take_required(schema_node& to, const value& from, const json_path& at)
{
    made(to.objects).required = names_of(from, at);
}

void schema_compiler::add_dependencies(schema_node& to, const value& from, const json_path& at, bool may_be_names,
                                       bool may_be_schemas)
{
    for (const auto& [key, what] : object_of(from, at)) {
        dependency added{.member = {key.data(), key.size()}};
        const json_path path{at, added.member};
        if (may_be_names && (what.is_array() || !may_be_schemas)) added.required = names_of(what, path);
        else added.schema = compile_at(what, path);
        made(to.objects).dependencies.push_back(std::move(added));
    }
}

void schema_compiler::take_dependent_required(schema_node& to, const value& from, const json_path& at)
{
    add_dependencies(to, from, at, true, false);
}

void schema_compiler::take_dependent_schemas(schema_node& to, const value& from, const json_path& at)
{
    add_dependencies(to, from, at, false, true);
}

void schema_compiler::take_dependencies(schema_node& to, const value& from, const json_path& at)
{
    add_dependencies(to, from, at, true, true);
}

void schema_compiler::take_min_properties(schema_node& to, const value& from, const json_path& at)
{
    made(to.objects).count.min = count_of(from, at);
}

void schema_compiler::take_max_properties(schema_node& to, const value& from, const json_path& at)
{
    made(to.objects).count.max = count_of(from, at);
}

void schema_compiler::take_items(schema_node& to, const value& from, const json_path& at)
{
    if (from.is_array()) made(to.arrays).prefix = list_of(from, at);
    else made(to.arrays).rest = compile_at(from, at);
}

void schema_compiler::take_prefix_items(schema_node& to, const value& from, const json_path& at)
{
    made(to.arrays).prefix = list_of(from, at);
}

void schema_compiler::take_contains(schema_node& to, const value& from, const json_path& at)
{
    made(to.arrays).contained = compile_at(from, at);
}

void schema_compiler::take_min_contains(schema_node& to, const value& from, const json_path& at)
{
    made(to.arrays).contained_count.min = count_of(from, at);
}

void schema_compiler::take_max_contains(schema_node& to, const value& from, const json_path& at)
{
    made(to.arrays).contained_count.max = count_of(from, at);
}

void schema_compiler::take_min_items(schema_node& to, const value& from, const json_path& at)
{
    made(to.arrays).count.min = count_of(from, at);
}

void schema_compiler::take_max_items(schema_node& to, const value& from, const json_path& at)
{
    made(to.arrays).count.max = count_of(from, at);
}

void schema_compiler::take_unique_items(schema_node& to, const value& from, const json_path& at)
{
    made(to.arrays).is_unique = boolean_of(from, at);
}

void schema_compiler::take_minimum(schema_node& to, const value& from, const json_path& at)
{
    made(to.numbers).min = &number_of(from, at);
}

void schema_compiler::take_maximum(schema_node& to, const value& from, const json_path& at)
{
    made(to.numbers).max = &number_of(from, at);
}

void schema_compiler::take_exclusive_minimum(schema_node& to, const value& from, const json_path& at)
{
    made(to.numbers).above = &number_of(from, at);
}

void schema_compiler::take_exclusive_maximum(schema_node& to, const value& from, const json_path& at)
{
    made(to.numbers).below = &number_of(from, at);
}

void schema_compiler::take_multiple_of(schema_node& to, const value& from, const json_path& at)
{
    if (!(number_of(from, at).to_number<double>() > 0)) refuse(at, "must be greater than 0");
    made(to.numbers).multiple_of = &from;
}

void schema_compiler::take_min_length(schema_node& to, const value& from, const json_path& at)
{
    made(to.texts).length.min = count_of(from, at);
}

void schema_compiler::take_max_length(schema_node& to, const value& from, const json_path& at)
{
    made(to.texts).length.max = count_of(from, at);
}

void schema_compiler::take_pattern(schema_node& to, const value& from, const json_path& at)
{
    made(to.texts).pattern = pattern_of(text_of(from, at), at);
}

void schema_compiler::take_all_of(schema_node& to, const value& from, const json_path& at)
{
    const std::vector<schema_index> all = list_of(from, at);
    to.all_of.insert(to.all_of.end(), all.begin(), all.end());
}

void schema_compiler::take_any_of(schema_node& to, const value& from, const json_path& at)
{
    to.any_of = list_of(from, at);
    if (to.any_of.empty()) refuse(at, "has no alternatives: give at least one, or leave it out");
}

void schema_compiler::take_one_of(schema_node& to, const value& from, const json_path& at)
{
    to.one_of = list_of(from, at);
    if (to.one_of.empty()) refuse(at, "has no alternatives: give at least one, or leave it out");
}

void schema_compiler::take_not(schema_node& to, const value& from, const json_path& at)
{
    to.forbidden = compile_at(from, at);
}

void schema_compiler::take_if(schema_node& to, const value& from, const json_path& at)
{
    to.condition = compile_at(from, at);
}

void schema_compiler::take_then(schema_node& to, const value& from, const json_path& at)
{
    to.then = compile_at(from, at);
}

void schema_compiler::take_else(schema_node& to, const value& from, const json_path& at)
{
    to.otherwise = compile_at(from, at);
}

}  // namespace weft::schema_detail
