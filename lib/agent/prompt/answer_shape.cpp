#include "answer_shape.hpp"

#include "agent/text/key_text.hpp"
#include "answer_schema.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_in_text.hpp>
#include <weft/graph/node_context.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <optional>

namespace weft::agent_detail {

namespace json = boost::json;

namespace {

constexpr std::size_t quoted_max = 200;  // bytes of an answer that an error repeats

/** The first of the plain values of JSON that a type takes; nothing if it takes none. */
std::optional<json::value> plain_value(const value_type& type, std::string_view text)
{
    std::vector<json::value> candidates;
    if (std::optional<json::value> fitting = plain_value_of(answer_schema_of(type), text))
        candidates.push_back(std::move(*fitting));
    // A type with a conversion of its own does not say what it takes.
    for (json::value one : {json::value(json::string_view{text}), json::value(0), json::value(false),
                            json::value(json::array{}), json::value(json::object{})})
        candidates.push_back(std::move(one));
    for (json::value& candidate : candidates) {
        try {
            (void)type.from_json(candidate);
            return std::move(candidate);
        } catch (const error&) {
            continue;
        }
    }
    return std::nullopt;
}

json::object schema_in(json::object& whole, const value_type& type, const answer_key& key)
{
    json::object schema = placed_in(whole, key.name, answer_schema_of(type));
    if (key.may_be_missing) schema = schema_of_detail::or_null(std::move(schema));
    if (key.description.empty()) return schema;
    // Providers that hold a model to a schema take nothing beside a reference.
    json::object& described = schema.contains("$ref") ? whole["$defs"].at(key.name).as_object() : schema;
    described.emplace("description", key.description);
    return schema;
}

}  // namespace

bool has_plain_value(const value_type& type) { return plain_value(type, "").has_value(); }

std::string words_for(const value_type& type) { return words_of_schema(answer_schema_of(type)); }

answer_shape::answer_shape(const std::vector<answer_key>& keys, const state_layout& layout, std::string_view node)
{
    members_.reserve(keys.size());
    for (const answer_key& key : keys) {
        const std::uint32_t slot = layout.find(key.name);
        if (slot == state_layout::none)
            throw error{errc::unknown_state_key, "node '" + std::string{node} + "', key '" + key.name + "'",
                        "declare it in the graph, or correct the name"};
        const value_type* const type = layout[slot].type->update;
        if (!type->from_json)
            throw error{errc::state_conversion, "node '" + std::string{node} + "', key '" + key.name + "'",
                        "a transient key takes no answers: name another one"};
        members_.push_back({&key, slot, type});
    }
}

bool answer_shape::is_text() const noexcept
{
    return members_.empty() || (members_.size() == 1 && members_.front().type == &value_type_of<std::string>);
}

std::string answer_shape::instructions() const
{
    std::string text = "Answer with one JSON object and nothing else. Its members:";
    for (const member& m : members_) {
        text.append("\n- ").append(readable_json(json::string_view{m.key->name})).append(": ");
        text.append(words_for(*m.type)).append(m.key->may_be_missing ? ", or null" : "");
        if (!m.key->description.empty()) text.append("; ").append(m.key->description);
    }
    return text;
}

output_schema answer_shape::schema() const
{
    json::object properties;
    json::array required;
    json::object schema;
    schema.emplace("type", "object");
    schema.emplace("properties", json::object{});
    for (const member& m : members_) {
        properties.emplace(m.key->name, schema_in(schema, *m.type, *m.key));
        required.emplace_back(m.key->name);
    }
    schema["properties"] = std::move(properties);
    schema.emplace("required", std::move(required));
    schema.emplace("additionalProperties", false);
    output_schema made;
    std::optional<json::object> strict = strict_schema(schema);
    made.strict = strict.has_value();
    made.schema = strict ? std::move(*strict) : std::move(schema);
    return made;
}

std::vector<state_write> answer_shape::read(std::string_view answer, const node_context& node) const
{
    if (members_.empty()) return {};
    if (is_text()) return {{members_.front().slot, false, false, make_box<std::string>(answer)}};
    const auto has = [&](const json::object& object) {
        return [&object](const member& m) { return m.key->may_be_missing || object.contains(m.key->name); };
    };
    const auto has_all = [&](const json::object& o) { return std::all_of(members_.begin(), members_.end(), has(o)); };
    const auto is_any = [](const json::object&) { return true; };
    std::optional<json::object> found = find_json_object(answer, has_all);
    if (!found) found = find_json_object(answer, is_any);  // to say what it lacks
    if (!found)
        throw error{errc::invalid_model_reply, place_of(node, members_.front().key->name),
                    "there is no JSON object in the answer: " + shortened(answer, quoted_max)};
    std::vector<state_write> writes;
    for (const member& m : members_)
        if (value_ptr value = value_of(m, *found, node)) writes.push_back({m.slot, false, false, std::move(value)});
    return writes;
}

value_ptr answer_shape::value_of(const member& of, const json::object& object, const node_context& node) const
{
    const json::value* const found = object.if_contains(of.key->name);
    if (of.key->may_be_missing && (!found || found->is_null())) return nullptr;
    if (!found)
        throw error{errc::invalid_model_reply, place_of(node, of.key->name),
                    "the answer has no such member: " + shortened(readable_json(object), quoted_max)};
    try {
        return of.type->from_json(*found);
    } catch (const error& e) {
        throw error{errc::invalid_model_reply, place_of(node, of.key->name),
                    "expected " + words_for(*of.type) + ": " + e.detail() + "; the answer has " +
                        shortened(readable_json(*found), quoted_max)};
    }
}

std::string answer_shape::prior_answer(const node_context& node) const
{
    json::object object;
    for (const member& m : members_)
        if (const value_box* const prior = node.prior_at(m.slot)) object.emplace(m.key->name, m.type->to_json(*prior));
    if (object.empty()) return {};
    return is_text() ? readable_text(object.begin()->value()) : readable_json(object);
}

json::object answer_shape::plain_object(std::string_view text) const
{
    json::object object;
    for (const member& m : members_)
        if (std::optional<json::value> value = plain_value(*m.type, text))
            object.emplace(m.key->name, std::move(*value));
    return object;
}

}  // namespace weft::agent_detail
