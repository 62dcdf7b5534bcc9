// Writes spans of every shape as protobuf and as JSON into a folder, and what they say as lines: for other decoders.

#include <weft/observe/otlp/otlp_spans.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace {

using weft::span_key;

std::vector<weft::span> spans_of_every_shape()
{
    weft::span root{.name = "invoke_workflow \"\u00e4\"\n", .place = {0x0123456789abcdef, 0xfedcba9876543210, 1}};
    root.start = 1'700'000'000'123'456'789;
    root.end = std::numeric_limits<std::int64_t>::max();
    root.trace_state = "a=b,c=d";
    root.links = {{1, 2, 3}, {std::numeric_limits<std::uint64_t>::max(), 0, 0x8000000000000000}};
    root.notes.push_back({"retry", root.start + 1, {{span_key::node, std::string{"n"}}}});
    root.notes.back().attributes.push_back({span_key::visit, std::int64_t{2}});
    weft::span call{.name = "chat", .place = {0x0123456789abcdef, 0xfedcba9876543210, 0xffffffffffffffff}, .parent = 1};
    call.kind = weft::span_kind::client;
    call.has_failed = true;
    call.say(span_key::error_type, "rate_limited").say(span_key::finish_reason, "stop");
    call.set(span_key::temperature, 0.25).set(span_key::seed, std::numeric_limits<std::int64_t>::min());
    call.count(span_key::input_tokens, 9'007'199'254'740'993).count(span_key::cache_write_tokens, 7);
    call.say(span_key::provider, "openai").say(span_key::workflow, "w");
    std::vector<weft::span> all{root, call};
    for (int key = 0; key < static_cast<int>(span_key::count_); ++key) {
        weft::span each{.name = "key", .place = {1, 2, static_cast<std::uint64_t>(key + 10)}, .start = key, .end = key};
        all.push_back(each.set(static_cast<span_key>(key), "value " + std::to_string(key)));
    }
    return all;
}

std::string hex_of(std::uint64_t number)
{
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(number));
    return digits;
}

std::string text_of_value(const weft::span_value& value)
{
    std::ostringstream text;
    if (const auto* const said = std::get_if<std::string>(&value)) text << "text " << *said;
    else if (const auto* const number = std::get_if<std::int64_t>(&value)) text << "int " << *number;
    else text << "double " << std::get<double>(value);
    return text.str();
}

void write_attributes(std::ostream& to, const std::vector<weft::span_attribute>& all, weft::span_dialect dialect)
{
    for (const weft::span_attribute& each : all) {
        const std::string_view name = name_of(each.key, dialect);
        if (name.empty()) continue;
        const bool is_list = each.key == span_key::finish_reason;
        to << "  " << name << " = " << (is_list ? "list " : "") << text_of_value(each.value) << '\n';
    }
}

void write_model(std::ostream& to, const std::vector<weft::span>& spans, weft::span_dialect dialect)
{
    for (const weft::span& one : spans) {
        to << "span " << one.name << '|' << hex_of(one.place.trace_high) << hex_of(one.place.trace_low) << '|'
           << hex_of(one.place.span) << '|' << (one.parent ? hex_of(one.parent) : "") << '|'
           << static_cast<int>(one.kind) << '|' << one.start << '|' << one.end << '|' << one.trace_state << '|'
           << (one.has_failed ? "2 " + std::string{one.text(span_key::error_type)} : "0 ") << '\n';
        write_attributes(to, one.attributes, dialect);
        for (const weft::span_note& note : one.notes) {
            to << " event " << note.name << '|' << note.at << '\n';
            write_attributes(to, note.attributes, dialect);
        }
        for (const weft::span_place& link : one.links)
            to << " link " << hex_of(link.trace_high) << hex_of(link.trace_low) << '|' << hex_of(link.span) << '\n';
    }
}

}  // namespace

int main(int count, char** words)
{
    if (count != 2) return 2;
    const std::string folder = std::string{words[1]} + "/";
    const std::vector<weft::span> spans = spans_of_every_shape();
    for (const char* const name : {"1.36", "1.41", "latest"}) {
        weft::otlp_resource by;
        by.attributes = {{"service.name", "weft \u00e9"}, {"host", "h"}};
        by.dialect = *weft::span_dialect_named(name);
        std::ofstream{folder + name + ".pb", std::ios::binary} << otlp_protobuf(spans, by);
        std::ofstream{folder + name + ".json"} << otlp_json(spans, by);
        std::ofstream model{folder + name + ".txt"};
        model << "resource\n  service.name = text weft \u00e9\n  host = text h\nscope weft\nschema "
              << schema_url_of(by.dialect) << '\n';
        write_model(model, spans, by.dialect);
    }
    return 0;
}
