#include "question_forms.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr const char* only_field = "answer";

enum class form_shape {
    flat,    ///< The form is the answer.
    field,   ///< The answer is a field.
    nested,  ///< The answer is a field that has JSON as text.
};

bool is_simple(const value& schema)
{
    const object* const in = schema.if_object();
    if (!in) return false;
    const std::string_view type = peek_text(*in, "type");
    const bool is_choice = in->contains("enum") && type.empty();
    // Lists are choices of several things, and nothing else.
    if (type == "array") {
        const object* const items = peek_object(*in, "items");
        return items && (items->contains("enum") || items->contains("anyOf"));
    }
    return is_choice || type == "string" || type == "number" || type == "integer" || type == "boolean";
}

/** The schema of an answer that is given. */
object given_schema(question asked)
{
    asked.is_required = true;
    return asked.answer_schema();
}

form_shape shape_of(const object& schema)
{
    const object* const properties = peek_object(schema, "properties");
    const bool is_flat = properties && peek_text(schema, "type") == "object" && !properties->empty() &&
                         std::all_of(properties->begin(), properties->end(),
                                     [](const auto& each) { return is_simple(each.value()); });
    if (is_flat) return form_shape::flat;
    return is_simple(value(schema)) ? form_shape::field : form_shape::nested;
}

object field_for(const object& schema, form_shape shape)
{
    if (shape == form_shape::field) {
        object field = schema;
        if (!field.contains("type")) field["type"] = "string";  // a choice among texts
        return field;
    }
    return {{"type", "string"}, {"description", "as JSON; its schema: " + boost::json::serialize(schema)}};
}

[[noreturn]] void refuse_form(std::string why)
{
    throw http_error{422, "invalid_answer", std::move(why)};
}

value answer_in(const object& content, form_shape shape)
{
    if (shape == form_shape::flat) return content;
    const value* const field = content.if_contains(only_field);
    if (!field) refuse_form("result.content.answer: is required");
    if (shape == form_shape::field) return *field;
    if (!field->is_string()) refuse_form("result.content.answer: expected JSON as a text");
    try {
        return parse_json(field->get_string());
    } catch (const error& e) {
        refuse_form(std::string{"result.content.answer: "} + e.what());
    }
}

}  // namespace

object form_of(const question& asked)
{
    const object schema = given_schema(asked);
    const form_shape shape = shape_of(schema);
    object form{{"type", "object"}};
    if (shape == form_shape::flat) {
        form["properties"] = schema.at("properties");
        if (const array* const required = asked.is_required ? peek_array(schema, "required") : nullptr)
            form["required"] = *required;
        return form;
    }
    object field = field_for(schema, shape);
    if (!asked.help.empty() && !field.contains("description")) field["description"] = asked.help;
    form["properties"] = object{{only_field, std::move(field)}};
    if (asked.is_required) form["required"] = array(1, value(only_field));
    return form;
}

form_answer read_form(const question& asked, const object& said)
{
    const std::string_view action = peek_text(said, "action");
    form_answer result;
    if (action == "decline" || action == "cancel") {
        if (!asked.is_required) result.answer = value(nullptr);
        else if (asked.kind == question_kind::approval) result.answer = value(false);
        return result;
    }
    if (action != "accept") refuse_form("result.action: expected accept, decline or cancel");
    const object* const content = peek_object(said, "content");
    // A form that is sent off without an entry.
    const bool is_empty = !content || content->empty();
    if (is_empty && !asked.is_required) {
        result.answer = value(nullptr);
        return result;
    }
    result.answer = answer_in(content ? *content : object{}, shape_of(given_schema(asked)));
    try {
        check_answer(asked, *result.answer, "result.content");
    } catch (const error& e) {
        refuse_form(e.what());
    }
    return result;
}

}  // namespace weft::serve_detail
