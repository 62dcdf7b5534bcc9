#include "json_schema_keywords.hpp"

#include "json_schema_compiler.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace weft::schema_detail {

namespace {

using value = boost::json::value;

template <class Rules>
Rules& made(std::unique_ptr<Rules>& rules)
{
    if (!rules) rules = std::make_unique<Rules>();
    return *rules;
}

void take_reference(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    const std::string_view text = by.text_of(from, at);
    const std::size_t fragment = std::min(text.find('#'), text.size());
    const std::string_view document = text.substr(0, fragment);
    const std::string_view pointer = text.substr(std::min(fragment + 1, text.size()));
    if (!document.empty() && document != by.id())
        by.refuse(at, "refers to another document, '" + std::string{document} +
                       "': put what it needs into $defs and refer to '#/$defs/…'");
    if (!pointer.empty() && pointer[0] != '/')
        by.refuse(at, "refers to an anchor, '" + std::string{pointer} +
                       "': refer to '#' or by a JSON pointer, '#/$defs/…'");
    // Its target may stand behind it, or around it.
    by.refer(to, pointer, at);
}

void take_unsupported(schema_compiler& by, schema_node&, const value&, const json_path& at)
{
    by.refuse(at, "is a keyword that is not supported, and ignoring it would let wrong values pass");
}

/** References inside another `$id` would have another base. */
void take_id(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    const std::string_view id = by.text_of(from, at);
    if (!by.is_whole(to) && !id.starts_with('#'))
        by.refuse(at, "gives a part of the schema a name of its own, which is not supported: leave it out");
}

void take_definitions(schema_compiler& by, schema_node&, const value& from, const json_path& at)
{
    for (const auto& [name, schema] : by.object_of(from, at))
        (void)by.compile_at(schema, json_path{at, std::string_view{name.data(), name.size()}});
}

void take_type(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    type_set types = 0;
    if (from.is_array()) {
        const boost::json::array& all = from.get_array();
        for (std::size_t i = 0; i < all.size(); ++i) types |= by.type_of(all[i], json_path{at, i});
        if (types == 0) by.refuse(at, "lists no type: name at least one, or leave it out");
    } else {
        types = by.type_of(from, at);
    }
    to.types = types;
}

void take_enum(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    to.choices = &by.array_of(from, at);
}

void take_const(schema_compiler&, schema_node& to, const value& from, const json_path&) { to.constant = &from; }

void take_properties(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    object_rules& rules = made(to.objects);
    rules.known = &by.object_of(from, at);
    for (const auto& [key, schema] : *rules.known) {
        const std::string_view name{key.data(), key.size()};
        rules.properties.push_back({name, by.compile_at(schema, json_path{at, name})});
    }
}

void take_pattern_properties(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    for (const auto& [key, schema] : by.object_of(from, at)) {
        const std::string_view name{key.data(), key.size()};
        const json_path path{at, name};
        schema_pattern pattern = by.pattern_of(name, path);
        made(to.objects).patterns.push_back({std::move(pattern), by.compile_at(schema, path)});
    }
}

void take_additional(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.objects).additional = by.compile_at(from, at);
}

void take_property_names(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.objects).names = by.compile_at(from, at);
}

void take_required(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.objects).required = by.names_of(from, at);
}

void add_dependencies(schema_compiler& by, schema_node& to, const value& from, const json_path& at, bool may_be_names,
                                       bool may_be_schemas)
{
    for (const auto& [key, what] : by.object_of(from, at)) {
        dependency added{.member = {key.data(), key.size()}};
        const json_path path{at, added.member};
        if (may_be_names && (what.is_array() || !may_be_schemas)) added.required = by.names_of(what, path);
        else added.schema = by.compile_at(what, path);
        made(to.objects).dependencies.push_back(std::move(added));
    }
}

void take_dependent_required(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    add_dependencies(by, to, from, at, true, false);
}

void take_dependent_schemas(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    add_dependencies(by, to, from, at, false, true);
}

void take_dependencies(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    add_dependencies(by, to, from, at, true, true);
}

void take_min_properties(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.objects).count.min = by.count_of(from, at);
}

void take_max_properties(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.objects).count.max = by.count_of(from, at);
}

void take_items(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    if (from.is_array()) made(to.arrays).prefix = by.list_of(from, at);
    else made(to.arrays).rest = by.compile_at(from, at);
}

void take_prefix_items(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.arrays).prefix = by.list_of(from, at);
}

void take_contains(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.arrays).contained = by.compile_at(from, at);
}

void take_min_contains(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.arrays).contained_count.min = by.count_of(from, at);
}

void take_max_contains(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.arrays).contained_count.max = by.count_of(from, at);
}

void take_min_items(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.arrays).count.min = by.count_of(from, at);
}

void take_max_items(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.arrays).count.max = by.count_of(from, at);
}

void take_unique_items(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.arrays).is_unique = by.boolean_of(from, at);
}

void take_minimum(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.numbers).min = &by.number_of(from, at);
}

void take_maximum(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.numbers).max = &by.number_of(from, at);
}

void take_exclusive_minimum(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.numbers).above = &by.number_of(from, at);
}

void take_exclusive_maximum(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.numbers).below = &by.number_of(from, at);
}

void take_multiple_of(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    if (!(by.number_of(from, at).to_number<double>() > 0)) by.refuse(at, "must be greater than 0");
    made(to.numbers).multiple_of = &from;
}

void take_min_length(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.texts).length.min = by.count_of(from, at);
}

void take_max_length(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.texts).length.max = by.count_of(from, at);
}

void take_pattern(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    made(to.texts).pattern = by.pattern_of(by.text_of(from, at), at);
}

void take_all_of(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    const std::vector<schema_index> all = by.list_of(from, at);
    to.all_of.insert(to.all_of.end(), all.begin(), all.end());
}

void take_any_of(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    to.any_of = by.list_of(from, at);
    if (to.any_of.empty()) by.refuse(at, "has no alternatives: give at least one, or leave it out");
}

void take_one_of(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    to.one_of = by.list_of(from, at);
    if (to.one_of.empty()) by.refuse(at, "has no alternatives: give at least one, or leave it out");
}

void take_not(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    to.forbidden = by.compile_at(from, at);
}

void take_if(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    to.condition = by.compile_at(from, at);
}

void take_then(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    to.then = by.compile_at(from, at);
}

void take_else(schema_compiler& by, schema_node& to, const value& from, const json_path& at)
{
    to.otherwise = by.compile_at(from, at);
}

}  // namespace

keyword_handler handler_of(std::string_view name)
{
    // Of several drafts: names that later ones gave up, as `definitions` and `dependencies`, are still written.
    static const std::unordered_map<std::string_view, keyword_handler> known{
        {"$ref", take_reference},
        {"$id", take_id},
        {"$defs", take_definitions},
        {"definitions", take_definitions},
        {"$dynamicRef", take_unsupported},
        {"$recursiveRef", take_unsupported},
        {"unevaluatedItems", take_unsupported},
        {"unevaluatedProperties", take_unsupported},
        {"type", take_type},
        {"enum", take_enum},
        {"const", take_const},
        {"properties", take_properties},
        {"patternProperties", take_pattern_properties},
        {"additionalProperties", take_additional},
        {"propertyNames", take_property_names},
        {"required", take_required},
        {"dependentRequired", take_dependent_required},
        {"dependentSchemas", take_dependent_schemas},
        {"dependencies", take_dependencies},
        {"minProperties", take_min_properties},
        {"maxProperties", take_max_properties},
        {"items", take_items},
        {"prefixItems", take_prefix_items},
        {"contains", take_contains},
        {"minContains", take_min_contains},
        {"maxContains", take_max_contains},
        {"minItems", take_min_items},
        {"maxItems", take_max_items},
        {"uniqueItems", take_unique_items},
        {"minimum", take_minimum},
        {"maximum", take_maximum},
        {"exclusiveMinimum", take_exclusive_minimum},
        {"exclusiveMaximum", take_exclusive_maximum},
        {"multipleOf", take_multiple_of},
        {"minLength", take_min_length},
        {"maxLength", take_max_length},
        {"pattern", take_pattern},
        {"allOf", take_all_of},
        {"anyOf", take_any_of},
        {"oneOf", take_one_of},
        {"not", take_not},
        {"if", take_if},
        {"then", take_then},
        {"else", take_else},
    };
    const auto found = known.find(name);
    return found == known.end() ? nullptr : found->second;
}

}  // namespace weft::schema_detail
