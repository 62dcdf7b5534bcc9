#include "otlp_json.hpp"

#include <weft/base/json.hpp>
#include <weft/observe/otlp/otlp_spans.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <charconv>
#include <utility>

namespace weft {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

std::string hex_digits(std::uint64_t number)
{
    std::string digits(16, '0');
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, number >>= 4)
        *digit = "0123456789abcdef"[number & 15];
    return digits;
}

std::string trace_digits_of(const span_place& place)
{
    return hex_digits(place.trace_high) + hex_digits(place.trace_low);
}

/** Numbers of 64 bits are texts. */
object any_value(const span_value& of)
{
    if (const auto* const text = std::get_if<std::string>(&of)) return {{"stringValue", *text}};
    if (const auto* const number = std::get_if<std::int64_t>(&of)) return {{"intValue", std::to_string(*number)}};
    return {{"doubleValue", std::get<double>(of)}};
}

array attributes_of(const std::vector<span_attribute>& of, span_dialect dialect)
{
    array written;
    for (const span_attribute& each : of) {
        const std::string_view name = name_of(each.key, dialect);
        if (name.empty()) continue;  // the dialect does not know it
        object told = any_value(each.value);
        if (each.key == span_key::finish_reason) {
            object list{{"values", array{std::move(told)}}};
            told = object{{"arrayValue", std::move(list)}};
        }
        written.push_back(object{{"key", name}, {"value", std::move(told)}});
    }
    return written;
}

object json_of_span(const span& one, span_dialect dialect)
{
    object written{{"traceId", trace_digits_of(one.place)}, {"spanId", hex_digits(one.place.span)}};
    if (!one.trace_state.empty()) written["traceState"] = one.trace_state;
    if (one.parent != 0) written["parentSpanId"] = hex_digits(one.parent);
    written["name"] = one.name;
    written["kind"] = static_cast<int>(one.kind);
    written["startTimeUnixNano"] = std::to_string(one.start);
    written["endTimeUnixNano"] = std::to_string(one.end);
    written["attributes"] = attributes_of(one.attributes, dialect);
    array notes;
    for (const span_note& each : one.notes)
        notes.push_back(object{{"timeUnixNano", std::to_string(each.at)},
                               {"name", each.name},
                               {"attributes", attributes_of(each.attributes, dialect)}});
    if (!notes.empty()) written["events"] = std::move(notes);
    array links;
    for (const span_place& each : one.links)
        links.push_back(object{{"traceId", trace_digits_of(each)}, {"spanId", hex_digits(each.span)}});
    if (!links.empty()) written["links"] = std::move(links);
    if (!one.has_failed) return written;
    object status{{"code", 2}};
    if (const std::string_view why = one.text(span_key::error_type); !why.empty()) status["message"] = why;
    written["status"] = std::move(status);
    return written;
}

}  // namespace

std::string otlp_json(std::span<const span> spans, const otlp_resource& by)
{
    array resource;
    for (const auto& [name, text] : by.attributes)
        resource.push_back(object{{"key", name}, {"value", object{{"stringValue", text}}}});
    array written;
    for (const span& each : spans) written.push_back(json_of_span(each, by.dialect));
    object of_scope{{"scope", object{{"name", "weft"}}}, {"spans", std::move(written)}};
    const std::string_view schema = schema_url_of(by.dialect);
    if (!schema.empty()) of_scope["schemaUrl"] = schema;
    object of_resource{{"resource", object{{"attributes", std::move(resource)}}},
                       {"scopeSpans", array{std::move(of_scope)}}};
    return boost::json::serialize(object{{"resourceSpans", array{std::move(of_resource)}}});
}

otlp_rejection otlp_detail::rejection_in_json(std::string_view body)
{
    otlp_rejection found;
    const value parsed = parse_json(body);
    const object* const answer = parsed.if_object();
    const value* const partial = answer ? answer->if_contains("partialSuccess") : nullptr;
    if (!partial || !partial->is_object()) return found;
    // Some receivers write the number as a number.
    if (const value* const count = partial->as_object().if_contains("rejectedSpans")) {
        if (count->is_int64()) found.spans = count->as_int64();
        else if (const auto* const text = count->if_string())
            std::from_chars(text->data(), text->data() + text->size(), found.spans);
    }
    if (const value* const why = partial->as_object().if_contains("errorMessage"))
        if (const auto* const text = why->if_string()) found.message = *text;
    return found;
}

}  // namespace weft
