#include "json_schema_compiler.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace weft::schema_detail {

namespace {

constexpr std::size_t mistakes_max = 100;

}  // namespace

schema_compiler::schema_compiler(schema_program& program, const json_path& at, const json_schema::mistake_sink& sink)
    : program_{program}, at_{at}, sink_{sink}
{
}

bool schema_compiler::compile()
{
    const boost::json::object* const whole = program_.document.if_object();
    const value* const id = whole ? whole->if_contains("$id") : nullptr;
    if (id && id->is_string()) id_ = {id->get_string().data(), id->get_string().size()};
    if (id_.ends_with('#')) id_.remove_suffix(1);
    (void)compile_at(program_.document, at_);
    resolve_references();
    if (mistakes_ == 0) refuse_endless();
    return mistakes_ == 0;
}

schema_compiler::handler schema_compiler::handler_of(std::string_view name)
{
    using self = schema_compiler;
    static const std::unordered_map<std::string_view, handler> known{
        {"$ref", &self::take_reference},
        {"$id", &self::take_id},
        {"$defs", &self::take_definitions},
        {"definitions", &self::take_definitions},
        {"$dynamicRef", &self::take_unsupported},
        {"$recursiveRef", &self::take_unsupported},
        {"unevaluatedItems", &self::take_unsupported},
        {"unevaluatedProperties", &self::take_unsupported},
        {"type", &self::take_type},
        {"enum", &self::take_enum},
        {"const", &self::take_const},
        {"properties", &self::take_properties},
        {"patternProperties", &self::take_pattern_properties},
        {"additionalProperties", &self::take_additional},
        {"propertyNames", &self::take_property_names},
        {"required", &self::take_required},
        {"dependentRequired", &self::take_dependent_required},
        {"dependentSchemas", &self::take_dependent_schemas},
        {"dependencies", &self::take_dependencies},
        {"minProperties", &self::take_min_properties},
        {"maxProperties", &self::take_max_properties},
        {"items", &self::take_items},
        {"prefixItems", &self::take_prefix_items},
        {"contains", &self::take_contains},
        {"minContains", &self::take_min_contains},
        {"maxContains", &self::take_max_contains},
        {"minItems", &self::take_min_items},
        {"maxItems", &self::take_max_items},
        {"uniqueItems", &self::take_unique_items},
        {"minimum", &self::take_minimum},
        {"maximum", &self::take_maximum},
        {"exclusiveMinimum", &self::take_exclusive_minimum},
        {"exclusiveMaximum", &self::take_exclusive_maximum},
        {"multipleOf", &self::take_multiple_of},
        {"minLength", &self::take_min_length},
        {"maxLength", &self::take_max_length},
        {"pattern", &self::take_pattern},
        {"allOf", &self::take_all_of},
        {"anyOf", &self::take_any_of},
        {"oneOf", &self::take_one_of},
        {"not", &self::take_not},
        {"if", &self::take_if},
        {"then", &self::take_then},
        {"else", &self::take_else},
    };
    const auto found = known.find(name);
    return found == known.end() ? nullptr : found->second;
}

void schema_compiler::tell(const json_path& at, std::string text)
{
    if (++mistakes_ <= mistakes_max) sink_(at, std::move(text));
}

void schema_compiler::refuse(const json_path& at, std::string text)
{
    tell(at, std::move(text));
    throw refused{};
}

schema_index schema_compiler::compile_at(const value& from, const json_path& at)
{
    if (const auto found = compiled_.find(&from); found != compiled_.end()) return found->second;
    const auto index = static_cast<schema_index>(program_.nodes.size());
    schema_node& node = program_.nodes.emplace_back();
    node.index = index;
    compiled_.emplace(&from, index);
    if (from.is_bool()) node.refuses_all = !from.get_bool();
    else if (from.is_object()) compile_object(index, from.get_object(), at);
    else tell(at, "is no schema: give an object, true or false");
    return index;
}

void schema_compiler::compile_object(schema_index index, const boost::json::object& from, const json_path& at)
{
    schema_node& node = program_.nodes[index];
    for (const auto& [key, what] : from) {
        const std::string_view name{key.data(), key.size()};
        const handler take = handler_of(name);
        if (!take) continue;
        const json_path here{at, name};
        attempt([&] { (this->*take)(node, what, here); });
    }
    if (const value* const nullable = from.if_contains("nullable"); nullable && from.contains("type"))
        attempt([&] {
            if (boolean_of(*nullable, json_path{at, "nullable"})) node.types |= null_type;
        });
    // Draft 7: what is behind the items that are given one by one.
    const value* const additional = from.if_contains("additionalItems");
    const value* const items = from.if_contains("items");
    if (additional && items && items->is_array() && node.arrays)
        node.arrays->rest = compile_at(*additional, json_path{at, "additionalItems"});
}

void schema_compiler::resolve_references()
{
    for (std::size_t i = 0; i < references_.size(); ++i) {  // grows: targets refer on
        const open_reference reference = references_[i];
        attempt([&] {
            const schema_index target = target_of(reference, program_.document, reference.pointer, at_);
            program_.nodes[reference.node].all_of[reference.place] = target;
        });
    }
}

namespace {

int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/** One step of a JSON pointer in a URI, with its escapes undone; nothing if one of them is wrong. */
std::optional<std::string> step_of(std::string_view text)
{
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i];
            continue;
        }
        if (i + 2 >= text.size() || digit_of(text[i + 1]) < 0 || digit_of(text[i + 2]) < 0) return std::nullopt;
        plain += static_cast<char>(digit_of(text[i + 1]) * 16 + digit_of(text[i + 2]));
        i += 2;
    }
    std::string result;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        if (plain[i] != '~') {
            result += plain[i];
            continue;
        }
        ++i;
        if (i == plain.size() || (plain[i] != '0' && plain[i] != '1')) return std::nullopt;
        result += plain[i] == '0' ? '~' : '/';
    }
    return result;
}

/** The number that a step into an array is; npos if it is none. */
std::size_t number_in(std::string_view step)
{
    if (step.empty() || step.size() > 9 || (step.size() > 1 && step[0] == '0')) return std::string_view::npos;
    std::size_t result = 0;
    for (const char c : step) {
        if (c < '0' || c > '9') return std::string_view::npos;
        result = result * 10 + static_cast<std::size_t>(c - '0');
    }
    return result;
}

}  // namespace

schema_index schema_compiler::target_of(const open_reference& reference, const value& from, std::string_view rest,
                                        const json_path& at)
{
    if (rest.empty()) return compile_at(from, at);
    rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::optional<std::string> step = step_of(rest.substr(0, end));
    if (step && from.is_object()) {
        if (const auto found = from.get_object().find(*step); found != from.get_object().end()) {
            const json_path next{at, std::string_view{found->key().data(), found->key().size()}};
            return target_of(reference, found->value(), rest.substr(end), next);
        }
    } else if (step && from.is_array()) {
        const std::size_t index = number_in(*step);
        if (index < from.get_array().size())
            return target_of(reference, from.get_array()[index], rest.substr(end), json_path{at, index});
    }
    refuse(at, "has no '" + step.value_or(std::string{rest.substr(0, end)}) + "', which the $ref '#" +
                   reference.pointer + "' at " + reference.written_at + " refers to");
}

std::vector<schema_index> schema_compiler::applied_beside(const schema_node& node)
{
    std::vector<schema_index> result = node.all_of;
    result.insert(result.end(), node.any_of.begin(), node.any_of.end());
    result.insert(result.end(), node.one_of.begin(), node.one_of.end());
    for (const schema_index other : {node.forbidden, node.condition, node.then, node.otherwise})
        if (other != no_schema) result.push_back(other);
    if (node.objects)
        for (const dependency& d : node.objects->dependencies)
            if (d.schema != no_schema) result.push_back(d.schema);
    return result;
}

/** A schema that is applied to the value that it is being applied to never ends. Takes away what leads to no other
 *  schema until nothing is left, or only what is on a circle or leads to one. */
void schema_compiler::refuse_endless()
{
    const std::size_t size = program_.nodes.size();
    std::vector<std::vector<schema_index>> before(size);
    std::vector<std::size_t> open(size);
    std::vector<schema_index> done;
    for (schema_index i = 0; i < size; ++i) {
        const std::vector<schema_index> next = applied_beside(program_.nodes[i]);
        open[i] = next.size();
        for (const schema_index other : next) before[other].push_back(i);
        if (next.empty()) done.push_back(i);
    }
    std::size_t done_count = 0;
    for (; done_count < done.size(); ++done_count)
        for (const schema_index other : before[done[done_count]])
            if (--open[other] == 0) done.push_back(other);
    if (done_count == size) return;
    for (const open_reference& reference : references_)
        if (open[reference.node] > 0 && open[program_.nodes[reference.node].all_of[reference.place]] > 0)
            return tell(at_, "refers to itself without end: the $ref '#" + reference.pointer + "' at " +
                                reference.written_at + " leads to the same value again");
}

}  // namespace weft::schema_detail
