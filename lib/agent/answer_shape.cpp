#include "answer_shape.hpp"

#include "key_text.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json_in_text.hpp>
#include <weft/graph/node_context.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace weft::agent_detail {

namespace json = boost::json;

namespace {

constexpr std::size_t quoted_max = 200;  // bytes of an answer that an error repeats

struct type_words {
    const value_type* type;
    std::string_view schema;  ///< JSON Schema's name of the type.
    std::string_view words;
};

const type_words* find_words(const value_type& type) noexcept
{
    static constexpr std::array<type_words, 6> all{{
        {&value_type_of<std::string>, "string", "a text"},
        {&value_type_of<std::int64_t>, "integer", "a whole number"},
        {&value_type_of<double>, "number", "a number"},
        {&value_type_of<bool>, "boolean", "true or false"},
        {&value_type_of<json::array>, "array", "a list"},
        {&value_type_of<json::object>, "object", "an object"},
    }};
    const auto found = std::find_if(all.begin(), all.end(), [&](const type_words& w) { return w.type == &type; });
    return found == all.end() ? nullptr : &*found;
}

bool is_scalar(const value_type& type) noexcept
{
    return find_words(type) && &type != &value_type_of<json::array> && &type != &value_type_of<json::object>;
}

/** The first of the plain values of JSON that a type takes; nothing if it takes none. */
std::optional<json::value> plain_value(const value_type& type, std::string_view text)
{
    if (&type == &value_type_of<json::value>) return json::value(json::string_view{text});
    for (json::value candidate : {json::value(json::string_view{text}), json::value(0), json::value(false),
                                  json::value(json::array{}), json::value(json::object{})}) {
        try {
            (void)type.from_json(candidate);
            return candidate;
        } catch (const error&) {
            continue;
        }
    }
    return std::nullopt;
}

json::object schema_of(const value_type& type, const answer_key& key)
{
    json::object schema;
    if (const type_words* const words = find_words(type)) {
        if (key.may_be_missing) schema.emplace("type", json::array{json::string_view{words->schema}, "null"});
        else schema.emplace("type", json::string_view{words->schema});
        if (words->type == &value_type_of<json::array>) schema.emplace("items", json::object{});
    }
    if (!key.description.empty()) schema.emplace("description", key.description);
    return schema;
}

}  // namespace

bool has_plain_value(const value_type& type) { return plain_value(type, "").has_value(); }

std::string_view words_for(const value_type& type) noexcept
{
    const type_words* const words = find_words(type);
    return words ? words->words : "a value";
}

answer_shape::answer_shape(const std::vector<answer_key>& keys, const state_layout& layout, std::string_view node)
{
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

bool answer_shape::is_strict() const noexcept
{
    return std::all_of(members_.begin(), members_.end(), [](const member& m) { return is_scalar(*m.type); });
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

json::object answer_shape::schema() const
{
    json::object properties;
    json::array required;
    for (const member& m : members_) {
        properties.emplace(m.key->name, schema_of(*m.type, *m.key));
        required.emplace_back(m.key->name);
    }
    json::object schema;
    schema.emplace("type", "object");
    schema.emplace("properties", std::move(properties));
    schema.emplace("required", std::move(required));
    schema.emplace("additionalProperties", false);
    return schema;
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
                    "expected " + std::string{words_for(*of.type)} + ": " + e.detail() + "; the answer has " +
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
