#include <weft/graph/answer_parsing.hpp>

#include <weft/base/json/json_in_text.hpp>
#include <weft/base/json_schema.hpp>
#include <weft/base/text/ascii_text.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace weft {

namespace json = boost::json;

namespace {

constexpr std::size_t quoted_text_max = 200;  // bytes of a text that an error repeats

/** A number from 1 that is all of a text but for `.`, `)` or `:` at its end. */
std::optional<std::size_t> number_in(std::string_view text)
{
    if (text.ends_with('.') || text.ends_with(')') || text.ends_with(':')) text.remove_suffix(1);
    std::size_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, wrong] = std::from_chars(text.data(), end, number);
    if (wrong != std::errc{} || stopped != end || number == 0) return std::nullopt;
    return number;
}

std::optional<bool> said_yes_or_no(std::string_view text)
{
    static constexpr std::array<std::string_view, 10> yes{"yes",      "y",      "true", "ok",   "okay",
                                                          "approve", "approved", "accept", "sure", "go"};
    static constexpr std::array<std::string_view, 9> no{"no",       "n",    "false",   "reject", "rejected",
                                                        "deny", "denied", "decline", "stop"};
    std::string word = ascii_lower_case(text);
    while (word.ends_with('.') || word.ends_with('!')) word.pop_back();
    if (std::find(yes.begin(), yes.end(), word) != yes.end()) return true;
    if (std::find(no.begin(), no.end(), word) != no.end()) return false;
    return std::nullopt;
}

/** The option that a text names; null if it names none, or several. */
const std::string* option_named(std::string_view text, const std::vector<std::string>& options)
{
    if (const auto same = std::find(options.begin(), options.end(), text); same != options.end()) return &*same;
    const std::string word = ascii_lower_case(text);
    const auto only = [&](auto is_meant) -> const std::string* {
        const auto found = std::find_if(options.begin(), options.end(), is_meant);
        if (found == options.end() || std::find_if(found + 1, options.end(), is_meant) != options.end()) return nullptr;
        return &*found;
    };
    if (const auto* const same = only([&](const std::string& o) { return ascii_lower_case(o) == word; })) return same;
    if (const auto number = number_in(text); number && *number <= options.size()) return &options[*number - 1];
    return only([&](const std::string& o) { return ascii_lower_case(o).starts_with(word); });
}

/** The value that a text is where a schema stands; nothing if it fits in no way. */
std::optional<json::value> value_in(std::string_view text, const json_schema& schema)
{
    try {
        if (json::value read = parse_json(text); schema.accepts(read)) return read;
    } catch (const error&) {
        // It is no JSON: then it is a text.
    }
    if (json::value plain(json::string_view{text}); schema.accepts(plain)) return plain;
    if (const auto said = said_yes_or_no(text); said && schema.accepts(*said)) return json::value(*said);
    const auto fits = [&](const json::object& object) { return schema.accepts(object); };
    if (auto object = find_json_object(text, fits)) return json::value(std::move(*object));
    return std::nullopt;
}

/** Calls a function with name and value of each line `name: value` or `name = value`. */
template <class Function>
void for_each_named_line(std::string_view text, Function function)
{
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t mark = line.find_first_of(":=)");
        if (mark == std::string_view::npos) continue;
        std::string_view name = trimmed(line.substr(0, mark));
        while (name.starts_with('-') || name.starts_with('*')) name = trimmed(name.substr(1));
        function(name, trimmed(line.substr(mark + 1)));
    }
}

json_schema schema_of_field(const question& asked, const std::string& name)
{
    const json::object whole = question::multi_field(asked.text, asked.fields).answer_schema();
    return json_schema{whole.at("properties").as_object().at(name)};
}

/** The field that is asked for alone: the only required one, or the only one. */
const question_field* only_field(const std::vector<question_field>& fields)
{
    if (fields.size() == 1) return &fields.front();
    const auto is_required = [](const question_field& field) { return field.required; };
    if (std::count_if(fields.begin(), fields.end(), is_required) != 1) return nullptr;
    return &*std::find_if(fields.begin(), fields.end(), is_required);
}

std::optional<json::value> fields_in(const question& asked, std::string_view text)
{
    const json_schema whole{question::multi_field(asked.text, asked.fields).answer_schema()};
    const auto fits = [&](const json::object& object) { return whole.accepts(object); };
    if (auto object = find_json_object(text, fits)) return json::value(std::move(*object));
    json::object answer;
    for_each_named_line(text, [&](std::string_view name, std::string_view said) {
        for (const question_field& field : asked.fields) {
            if (ascii_lower_case(field.name) != ascii_lower_case(name) || said.empty()) continue;
            if (auto value = value_in(said, schema_of_field(asked, field.name)))
                answer.insert_or_assign(field.name, std::move(*value));
        }
    });
    if (const question_field* const only = only_field(asked.fields); only && answer.empty())
        if (auto value = value_in(text, schema_of_field(asked, only->name))) answer.emplace(only->name, *value);
    if (answer.empty() || !whole.accepts(answer)) return std::nullopt;
    return json::value(std::move(answer));
}

std::optional<json::value> answer_in(const question& asked, std::string_view text)
{
    switch (asked.kind) {
    case question_kind::free_text: return json::value(json::string_view{text});
    case question_kind::structured: return value_in(text, json_schema{asked.schema});
    case question_kind::multi_field: return fields_in(asked, text);
    case question_kind::selection: {
        const std::string* const option = option_named(text, asked.options);
        return option ? std::optional{json::value(json::string_view{*option})} : std::nullopt;
    }
    case question_kind::approval: {
        const std::optional<bool> said = said_yes_or_no(text);
        return said ? std::optional{json::value(*said)} : std::nullopt;
    }
    }
    return std::nullopt;
}

std::string text_of_wanted(const question& asked)
{
    std::string wanted;
    switch (asked.kind) {
    case question_kind::free_text: return "a text";
    case question_kind::approval: return "yes or no";
    case question_kind::structured: return "a JSON value that fits " + json::serialize(asked.schema);
    case question_kind::selection:
        for (std::size_t i = 0; i < asked.options.size(); ++i)
            wanted.append(i == 0 ? "one of " : ", ").append(std::to_string(i + 1) + ") " + asked.options[i]);
        return wanted;
    case question_kind::multi_field:
        for (const question_field& field : asked.fields)
            wanted.append(wanted.empty() ? "lines " : ", ").append("'").append(field.name).append(": …'");
        return wanted;
    }
    return wanted;
}

/** Answers to questions by their numbers, one a line. */
std::vector<addressed_answer> numbered_answers(std::span<const addressed_question> asked, std::string_view text)
{
    std::vector<addressed_answer> answers;
    for_each_named_line(text, [&](std::string_view name, std::string_view said) {
        const auto number = number_in(name);
        if (!number || *number > asked.size()) return;
        const addressed_question& of = asked[*number - 1];
        if (auto answer = parse_answer(*of.asked, said)) answers.emplace_back(of.address, std::move(*answer));
    });
    return answers;
}

std::vector<addressed_answer> addressed_answers(std::span<const addressed_question> asked, std::string_view text)
{
    const auto names_one = [&](const json::object& object) {
        return std::any_of(asked.begin(), asked.end(), [&](const auto& q) { return object.contains(q.address); });
    };
    std::vector<addressed_answer> answers;
    const std::optional<json::object> object = find_json_object(text, names_one);
    if (!object) return answers;
    for (const addressed_question& one : asked)
        if (const json::value* const answer = object->if_contains(one.address))
            answers.emplace_back(one.address, *answer);
    return answers;
}

void drop_unfit(std::vector<addressed_answer>& answers, std::span<const addressed_question> asked)
{
    std::erase_if(answers, [&](const addressed_answer& answer) {
        const auto is_its = [&](const addressed_question& q) { return q.address == answer.first; };
        const auto found = std::find_if(asked.begin(), asked.end(), is_its);
        if (found == asked.end()) return true;
        try {
            check_answer(*found->asked, answer.second);
        } catch (const error&) {
            return true;
        }
        return false;
    });
}

}  // namespace

std::optional<json::value> parse_answer(const question& asked, std::string_view text)
{
    const std::string_view said = trimmed(text);
    if (said.empty()) return asked.is_required ? std::nullopt : std::optional{json::value(nullptr)};
    return answer_in(asked, said);
}

json::value require_answer(const question& asked, std::string_view text, std::string_view where)
{
    if (std::optional<json::value> answer = parse_answer(asked, text)) return std::move(*answer);
    const std::string_view said = trimmed(text);
    std::string quoted{said.substr(0, quoted_text_max)};
    if (said.size() > quoted_text_max) quoted += "…";
    throw error{errc::invalid_answer, std::string{where},
                "expected " + text_of_wanted(asked) + ", got '" + quoted + "'"};
}

std::vector<addressed_answer> parse_answers(std::span<const addressed_question> asked, std::string_view text,
                                            const answer_parser& better)
{
    if (asked.empty()) return {};
    std::vector<addressed_answer> answers;
    if (better) answers = better(asked, text);
    drop_unfit(answers, asked);
    if (answers.empty()) answers = addressed_answers(asked, text);
    drop_unfit(answers, asked);
    if (answers.empty() && asked.size() > 1) answers = numbered_answers(asked, text);
    if (!answers.empty()) return answers;
    if (auto first = parse_answer(*asked.front().asked, text))
        answers.emplace_back(asked.front().address, std::move(*first));
    return answers;
}

}  // namespace weft
