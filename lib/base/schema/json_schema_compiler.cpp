#include "json_schema_compiler.hpp"

#include "json_schema_keywords.hpp"
#include "json_schema_text.hpp"

#include <weft/base/suggestion.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>
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

void schema_compiler::tell(const json_path& at, std::string text)
{
    if (++mistakes_ <= mistakes_max) sink_(at, std::move(text));
}

void schema_compiler::refuse(const json_path& at, std::string text)
{
    tell(at, std::move(text));
    throw refused{};
}

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

void schema_compiler::refer(schema_node& from, std::string_view pointer, const json_path& at)
{
    references_.push_back({std::string{pointer}, from.index, from.all_of.size(), at.text()});
    from.all_of.push_back(no_schema);
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
        const keyword_handler take = handler_of(name);
        if (!take) continue;
        const json_path here{at, name};
        attempt([&] { take(*this, node, what, here); });
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
