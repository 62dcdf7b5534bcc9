#include <weft/graph/node/question.hpp>

#include <weft/base/json_schema.hpp>
#include <weft/base/text/ascii_text.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/array.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace weft {

namespace json = boost::json;

namespace {

json::object text_schema()
{
    json::object schema;
    schema.emplace("type", "string");
    // An empty answer is none: a form that is sent unfilled must not go on.
    schema.emplace("minLength", 1);
    return schema;
}

json::object field_schema(const question_field& field)
{
    json::object schema = field.schema.empty() ? text_schema() : field.schema;
    if (!field.text.empty() && !schema.contains("description")) schema.emplace("description", field.text);
    return schema;
}

json::object fields_schema(const std::vector<question_field>& fields)
{
    json::object properties;
    json::array required;
    for (const question_field& field : fields) {
        properties.emplace(field.name, field_schema(field));
        if (field.required) required.emplace_back(field.name);
    }
    json::object schema;
    schema.emplace("type", "object");
    schema.emplace("properties", std::move(properties));
    if (!required.empty()) schema.emplace("required", std::move(required));
    // A member that was not asked for is a slip in a name, and would be lost without a word.
    schema.emplace("additionalProperties", false);
    return schema;
}

json::object options_schema(const std::vector<std::string>& options)
{
    json::object schema;
    schema.emplace("type", "string");
    schema.emplace("enum", json::array(options.begin(), options.end()));
    return schema;
}

/** The schema of an answer that is not null. */
json::object schema_of_answer(const question& asked)
{
    switch (asked.kind) {
    case question_kind::structured: return asked.schema;
    case question_kind::selection: return options_schema(asked.options);
    case question_kind::multi_field: return fields_schema(asked.fields);
    case question_kind::approval: {
        json::object schema;
        schema.emplace("type", "boolean");
        return schema;
    }
    case question_kind::free_text: break;
    }
    return text_schema();
}

/** The same, or null. What its references point to stays where they look for it. */
json::object or_nothing(json::object schema)
{
    json::object whole;
    json::object null;
    null.emplace("type", "null");
    for (const char* const name : {"$defs", "definitions"})
        if (const auto found = schema.find(name); found != schema.end()) {
            whole.emplace(name, std::move(found->value()));
            schema.erase(name);
        }
    whole.emplace("anyOf", json::array{std::move(schema), std::move(null)});
    return whole;
}

/** What is wrong with names that must be there once each and say something; empty if nothing is. */
std::string fault_of_names(std::vector<std::string_view> names, const std::string& what)
{
    if (names.empty()) return "it has no " + what + "s: list them";
    if (std::any_of(names.begin(), names.end(), is_blank)) return "one " + what + " is blank: write what it means";
    // Of two options of one text an answer could not say which it means.
    std::sort(names.begin(), names.end());
    if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
        return what + " '" + std::string{*twice} + "' is there twice";
    return {};
}

std::string fault_of_schema(const json::object& schema, const std::string& of)
{
    try {
        (void)json_schema{schema};
    } catch (const error& wrong) {
        return of + " is no JSON Schema: " + wrong.where() + ": " + wrong.detail();
    }
    return {};
}

std::string fault_of_members(const question& asked)
{
    if (asked.kind == question_kind::selection)
        return fault_of_names({asked.options.begin(), asked.options.end()}, "option");
    if (asked.kind == question_kind::structured) return fault_of_schema(asked.schema, "its schema");
    if (asked.kind != question_kind::multi_field) return {};
    std::vector<std::string_view> names;
    for (const question_field& field : asked.fields) names.push_back(field.name);
    std::string fault = fault_of_names(std::move(names), "field");
    for (const question_field& field : asked.fields)
        if (fault.empty()) fault = fault_of_schema(field.schema, "the schema of field '" + field.name + "'");
    return fault;
}

struct written_field {
    std::string name;
    std::optional<std::string> text;
    std::optional<bool> required;
    std::optional<json::object> schema;
};
BOOST_DESCRIBE_STRUCT(written_field, (), (name, text, required, schema))

struct written_question {
    std::string text;
    std::optional<question_kind> kind;
    std::optional<std::vector<std::string>> options;
    std::optional<std::vector<written_field>> fields;
    std::optional<json::object> schema;
    std::optional<bool> required;
    std::optional<std::string> help;
    std::optional<double> expires_in_ms;
    std::optional<json::value> about;
};
BOOST_DESCRIBE_STRUCT(written_question, (),
                      (text, kind, options, fields, schema, required, help, expires_in_ms, about))

json::object to_json_field(const question_field& field)
{
    json::object written;
    written.emplace("name", field.name);
    if (!field.text.empty()) written.emplace("text", field.text);
    if (!field.required) written.emplace("required", false);
    if (!field.schema.empty()) written.emplace("schema", field.schema);
    return written;
}

/** Some 30 years, whose nanoseconds fit in 64 bits. */
constexpr double expiry_ms_max = 1e12;

}  // namespace

question question::selection(std::string text, std::vector<std::string> options)
{
    question made{std::move(text), question_kind::selection};
    made.options = std::move(options);
    return made;
}

question question::approval(std::string text) { return question{std::move(text), question_kind::approval}; }

question question::multi_field(std::string text, std::vector<question_field> fields)
{
    question made{std::move(text), question_kind::multi_field};
    made.fields = std::move(fields);
    return made;
}

question question::structured(std::string text, json::object json_schema)
{
    question made{std::move(text), question_kind::structured};
    made.schema = std::move(json_schema);
    return made;
}

json::object question::answer_schema() const
{
    json::object answer = schema_of_answer(*this);
    return is_required ? answer : or_nothing(std::move(answer));
}

std::string question::fault() const
{
    if (is_blank(text)) return "it has no text: say what is asked";
    if (name.empty()) return "its name is empty: leave it out";
    if (expires_in.count() < 0) return "it expires before it is asked";
    std::string fault = fault_of_members(*this);
    if (!fault.empty() || !otherwise) return fault;
    try {
        check_answer(*this, *otherwise);
    } catch (const error& wrong) {
        return "the answer if nobody gives one does not fit: " + wrong.detail();
    }
    return {};
}

void check_answer(const question& asked, const json::value& answer, std::string_view where)
{
    if (answer.is_null() && !asked.is_required) return;
    const std::vector<schema_mistake> mistakes = json_schema{schema_of_answer(asked)}.mistakes(answer);
    if (mistakes.empty()) return;
    std::string at{where};
    at.append(at.empty() ? "" : ", ").append(mistakes.front().path);
    throw error{errc::invalid_answer, std::move(at), text_of(mistakes)};
}

json::object to_json(const question& from)
{
    json::object written;
    written.emplace("text", from.text);
    written.emplace("kind", to_json(from.kind));
    if (!from.options.empty()) written.emplace("options", json::array(from.options.begin(), from.options.end()));
    if (!from.fields.empty()) {
        json::array fields;
        for (const question_field& field : from.fields) fields.push_back(to_json_field(field));
        written.emplace("fields", std::move(fields));
    }
    if (!from.is_required) written.emplace("required", false);
    if (!from.help.empty()) written.emplace("help", from.help);
    if (from.expires_in.count() > 0)
        written.emplace("expires_in_ms", std::chrono::duration<double, std::milli>(from.expires_in).count());
    if (from.otherwise) written.emplace("otherwise", *from.otherwise);
    if (!from.about.is_null()) written.emplace("about", from.about);
    written.emplace("schema", schema_of_answer(from));
    return written;
}

question question_from_json(const json::value& from)
{
    auto read = from_json<written_question>(from);
    question made{std::move(read.text), read.kind.value_or(question_kind::free_text)};
    for (written_field& field : read.fields.value_or(std::vector<written_field>{})) {
        question_field& next = made.fields.emplace_back(std::move(field.name), std::move(field.text).value_or(""));
        next.required = field.required.value_or(true);
        next.schema = std::move(field.schema).value_or(json::object{});
    }
    made.options = std::move(read.options).value_or(std::vector<std::string>{});
    // The schema of the other kinds follows from the options and fields.
    if (made.kind == question_kind::structured) made.schema = std::move(read.schema).value_or(json::object{});
    made.is_required = read.required.value_or(true);
    made.help = std::move(read.help).value_or("");
    const double ms = read.expires_in_ms.value_or(0);
    if (!(0 <= ms && ms <= expiry_ms_max))
        throw error{errc::unexpected_json, "$.expires_in_ms", "expected milliseconds from 0 to 10^12"};
    made.expires_in = std::chrono::nanoseconds{std::llround(ms * 1e6)};
    if (const json::value* const otherwise = from.get_object().if_contains("otherwise")) made.otherwise = *otherwise;
    made.about = std::move(read.about).value_or(json::value{});
    return made;
}

}  // namespace weft
