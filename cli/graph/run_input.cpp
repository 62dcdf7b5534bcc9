#include "run_input.hpp"

#include "graph_file.hpp"

#include <weft/base/json.hpp>
#include <weft/base/text/json_path.hpp>
#include <weft/base/utf8.hpp>
#include <weft/graph/spec/spec_duration.hpp>
#include <weft/graph/spec/spec_mistake.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

namespace weft_cli {

namespace {

constexpr std::size_t bytes_max = 64u << 20;

const weft::key_spec& key_named(std::string_view name, const weft::graph_spec& spec, std::string_view place)
{
    std::vector<std::string_view> known;
    for (const weft::key_spec& key : spec.state) {
        if (key.name == name) return key;
        known.push_back(key.name);
    }
    throw usage_error{std::string{place} + ": the graph has no key '" + std::string{name} + "'" +
                      weft::known_names(name, known)};
}

/** What people call values of a type, and one of them. */
struct type_example {
    std::string_view type;
    std::string_view words;
    std::string_view example;
};

const type_example* example_of(std::string_view type)
{
    static constexpr type_example all[] = {
        {"string", "a string", "\"some text\""}, {"integer", "an integer", "3"},
        {"number", "a number", "0.5"},           {"boolean", "a boolean", "true"},
        {"list", "a list", "[\"a\", \"b\"]"},    {"object", "an object", "{\"name\": \"value\"}"},
        {"any", "any JSON value", "\"some text\""},
    };
    const auto found = std::find_if(std::begin(all), std::end(all), [type](const auto& e) { return e.type == type; });
    return found == std::end(all) ? nullptr : found;
}

bool fits(const boost::json::value& value, std::string_view type)
{
    try {
        if (type == "string") (void)weft::from_json<std::string>(value);
        else if (type == "integer") (void)weft::from_json<std::int64_t>(value);
        else if (type == "number") (void)weft::from_json<double>(value);
        else if (type == "boolean") return value.is_bool();
        else if (type == "list") return value.is_array();
        else if (type == "object") return value.is_object();
        return true;
    } catch (const weft::error&) {
        return false;
    }
}

[[noreturn]] void refuse_value(const weft::key_spec& key, const std::string& place, std::string_view why)
{
    const type_example* const known = example_of(key.type);
    std::string text = place + ": the key '" + key.name + "' is " +
                       (known ? std::string{known->words} : "of the type '" + key.type + "'") + std::string{why};
    const std::string option = place.substr(0, place.find(' '));
    if (known && option.starts_with("--"))
        text += "; write e.g. " + option + " '" + key.name + "=" + std::string{known->example} + "'";
    throw usage_error{text};
}

/** Where the first number stands that is too large for JSON, as `1e999` is; empty if there is none. */
std::string place_of_infinity(const boost::json::value& in, const weft::json_path& at = {})
{
    if (in.is_double() && !std::isfinite(in.get_double())) return at.text();
    std::string found;
    if (const boost::json::object* const object = in.if_object())
        for (auto member = object->begin(); member != object->end() && found.empty(); ++member)
            found = place_of_infinity(member->value(), {at, std::string_view{member->key()}});
    if (const boost::json::array* const array = in.if_array())
        for (std::size_t i = 0; i < array->size() && found.empty(); ++i)
            found = place_of_infinity((*array)[i], {at, i});
    return found;
}

void check_fit(const boost::json::value& value, const weft::key_spec& key, const std::string& place)
{
    if (const std::string infinity = place_of_infinity(value); !infinity.empty())
        throw usage_error{place + ": the key '" + key.name + "' at " + infinity +
                          ": the number is too large; the largest is 1.7976931348623157e308"};
    if (!fits(value, key.type)) refuse_value(key, place, "");
}

boost::json::value value_of(const weft::key_spec& key, const std::string& text, const std::string& place)
{
    if (key.type == "string") {
        if (!weft::is_valid_utf8(text)) refuse_value(key, place, ", and this is no UTF-8");
        return boost::json::string{text};
    }
    std::optional<boost::json::value> value;
    try {
        value = weft::parse_json(text);
    } catch (const weft::error& e) {
        refuse_value(key, place, ", in JSON, and at " + e.where() + " this is none: " + e.detail());
    }
    check_fit(*value, key, place);
    return *std::move(value);
}

std::string text_of_source(const std::string& name, std::istream& standard_input, const std::string& place)
{
    if (name != "-") {
        file_text read = read_file(name, bytes_max);
        if (!read.text) throw usage_error{place + ": cannot read " + name + ": " + read.trouble};
        return std::move(*read.text);
    }
    std::string text;
    std::vector<char> part(64u << 10);
    while (standard_input && text.size() <= bytes_max) {
        standard_input.read(part.data(), static_cast<std::streamsize>(part.size()));
        text.append(part.data(), static_cast<std::size_t>(standard_input.gcount()));
    }
    return text;
}

boost::json::object read_source(const std::string& name, const weft::graph_spec& spec, std::istream& standard_input,
                                const std::string& option)
{
    const std::string place = name == "-" ? "standard input" : name;
    const std::string text = text_of_source(name, standard_input, option + " @" + name);
    if (text.size() > bytes_max)
        throw usage_error{place + ": it is longer than " + std::to_string(bytes_max >> 20) + " MiB"};
    boost::json::value read;
    try {
        read = weft::parse_json(text);
    } catch (const weft::error& e) {
        throw usage_error{place + ": " + e.what()};
    }
    if (!read.is_object())
        throw usage_error{place + ": expected a JSON object of values by key, e.g. {\"topic\": \"rain\"}"};
    for (const boost::json::key_value_pair& member : read.get_object()) {
        const weft::key_spec& key = key_named(std::string{member.key()}, spec, place);
        check_fit(member.value(), key, place);
    }
    return std::move(read.get_object());
}

}  // namespace

std::pair<std::string, std::string> split_at_equals(std::string_view option, const std::string& word)
{
    const std::size_t at = word.find('=');
    if (at == std::string::npos || at == 0)
        throw usage_error{std::string{option} + " " + word + ": write a name, =, and what it is to be, e.g. " +
                          std::string{option} + " name=…"};
    return {word.substr(0, at), word.substr(at + 1)};
}

boost::json::object read_inputs(const std::vector<std::string>& words, const weft::graph_spec& spec,
                                std::istream& standard_input, std::string_view option)
{
    const std::string option_name{option};
    boost::json::object inputs;
    for (const std::string& word : words) {
        if (word.starts_with('@')) {
            for (boost::json::key_value_pair& member : read_source(word.substr(1), spec, standard_input, option_name))
                inputs.insert_or_assign(member.key(), std::move(member.value()));
            continue;
        }
        const auto [name, text] = split_at_equals(option, word);
        const weft::key_spec& key = key_named(name, spec, option_name + " " + word);
        inputs.insert_or_assign(name, value_of(key, text, option_name + " " + word));
    }
    return inputs;
}

std::chrono::nanoseconds span_of(std::string_view option, const std::string& text, std::string_view examples)
{
    const auto span = weft::spec_duration::parse(text);
    if (!span)
        throw usage_error{std::string{option} + ' ' + text + ": write a whole number and a unit, e.g. " +
                          std::string{examples}};
    return span->span();
}

}  // namespace weft_cli
