#include <weft/observe/otlp/otlp_spans.hpp>

#include "otlp_json.hpp"

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include <array>
#include <cstddef>
#include <exception>

// Numbers of fields are those of opentelemetry/proto/trace/v1/trace.proto and common/v1/common.proto.

namespace weft {

namespace {

using protozero::pbf_writer;

template <std::size_t Size>
std::array<char, Size> big_endian_bytes(std::uint64_t high, std::uint64_t low)
{
    std::array<char, Size> bytes{};
    for (std::size_t i = 0; i < 8; ++i) {
        bytes[Size - 1 - i] = static_cast<char>(low >> (8 * i));
        if constexpr (Size == 16) bytes[7 - i] = static_cast<char>(high >> (8 * i));
    }
    return bytes;
}

void add_span_id(pbf_writer& to, protozero::pbf_tag_type tag, std::uint64_t id)
{
    const auto bytes = big_endian_bytes<8>(0, id);
    to.add_bytes(tag, bytes.data(), bytes.size());
}

void add_place(pbf_writer& to, const span_place& place)
{
    const auto trace = big_endian_bytes<16>(place.trace_high, place.trace_low);
    to.add_bytes(1, trace.data(), trace.size());
    add_span_id(to, 2, place.span);
}

void add_value(pbf_writer& to, const span_value& value)
{
    if (const auto* const text = std::get_if<std::string>(&value)) to.add_string(1, *text);
    else if (const auto* const number = std::get_if<std::int64_t>(&value)) to.add_int64(3, *number);
    else to.add_double(4, std::get<double>(value));
}

/** A `KeyValue`. */
void add_attribute(pbf_writer& to, protozero::pbf_tag_type tag, const span_attribute& attribute, span_dialect dialect)
{
    const std::string_view name = name_of(attribute.key, dialect);
    if (name.empty()) return;
    pbf_writer pair{to, tag};
    pair.add_string(1, name.data(), name.size());
    pbf_writer value{pair, 2};
    if (attribute.key != span_key::finish_reason) return add_value(value, attribute.value);
    pbf_writer list{value, 5};
    pbf_writer only{list, 1};
    add_value(only, attribute.value);
}

void add_note(pbf_writer& to, const span_note& note, span_dialect dialect)
{
    pbf_writer event{to, 11};
    event.add_fixed64(1, static_cast<std::uint64_t>(note.at));
    event.add_string(2, note.name.data(), note.name.size());
    for (const span_attribute& each : note.attributes) add_attribute(event, 3, each, dialect);
}

void add_span(pbf_writer& to, const span& one, span_dialect dialect)
{
    pbf_writer written{to, 2};
    add_place(written, one.place);
    if (!one.trace_state.empty()) written.add_string(3, one.trace_state);
    if (one.parent != 0) add_span_id(written, 4, one.parent);
    written.add_string(5, one.name);
    written.add_enum(6, static_cast<std::int32_t>(one.kind));
    written.add_fixed64(7, static_cast<std::uint64_t>(one.start));
    written.add_fixed64(8, static_cast<std::uint64_t>(one.end));
    for (const span_attribute& each : one.attributes) add_attribute(written, 9, each, dialect);
    for (const span_note& each : one.notes) add_note(written, each, dialect);
    for (const span_place& each : one.links) {
        pbf_writer link{written, 13};
        add_place(link, each);
    }
    if (!one.has_failed) return;
    pbf_writer status{written, 15};
    if (const std::string_view why = one.text(span_key::error_type); !why.empty())
        status.add_string(2, why.data(), why.size());
    status.add_enum(3, 2);
}

otlp_rejection rejection_in_protobuf(std::string_view body)
{
    otlp_rejection found;
    protozero::pbf_reader answer{body.data(), body.size()};
    while (answer.next(1)) {
        protozero::pbf_reader partial = answer.get_message();
        while (partial.next()) {
            if (partial.tag() == 1) found.spans = partial.get_int64();
            else if (partial.tag() == 2) found.message = partial.get_string();
            else partial.skip();
        }
    }
    return found;
}

}  // namespace

std::string otlp_protobuf(std::span<const span> spans, const otlp_resource& by)
{
    std::string bytes;
    bytes.reserve(spans.size() * 256);  // a usual span has 210 bytes
    // A writer within another one writes its length when it goes, so each has a block.
    pbf_writer request{bytes};
    {
        pbf_writer of_resource{request, 1};
        {
            pbf_writer resource{of_resource, 1};
            for (const auto& [name, text] : by.attributes) {
                pbf_writer pair{resource, 1};
                pair.add_string(1, name);
                pbf_writer value{pair, 2};
                value.add_string(1, text);
            }
        }
        const std::string_view schema = schema_url_of(by.dialect);
        {
            pbf_writer of_scope{of_resource, 2};
            {
                pbf_writer scope{of_scope, 1};
                scope.add_string(1, "weft");
            }
            for (const span& each : spans) add_span(of_scope, each, by.dialect);
            if (!schema.empty()) of_scope.add_string(3, schema.data(), schema.size());
        }
    }
    return bytes;
}

otlp_rejection otlp_rejection_in(std::string_view body, bool is_json)
{
    try {
        return is_json ? otlp_detail::rejection_in_json(body) : rejection_in_protobuf(body);
    } catch (const std::exception&) {
        // A good status says that spans were taken; a body that cannot be read says no more.
        return {};
    }
}

}  // namespace weft
