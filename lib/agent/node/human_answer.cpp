#include "human_answer.hpp"

#include "agent/text/key_text.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/text/ascii_text.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace weft::agent_detail {

namespace {

constexpr std::size_t repeated_max = 200;  // bytes of an answer that a fault repeats

std::string plain(std::string_view text)
{
    return ascii_lower_case(trimmed(text));
}

std::string in_quotes(const boost::json::value& answer)
{
    return "'" + shortened(readable_text(answer), repeated_max) + "'";
}

std::optional<bool> yes_or_no(const boost::json::value& answer)
{
    static constexpr std::array<std::string_view, 7> yes{"yes", "y", "true", "ok", "approve", "approved", "accept"};
    static constexpr std::array<std::string_view, 7> no{"no", "n", "false", "reject", "rejected", "deny", "decline"};
    if (answer.is_bool()) return answer.get_bool();
    if (!answer.is_string()) return std::nullopt;
    const std::string word = plain(answer.get_string());
    if (std::find(yes.begin(), yes.end(), word) != yes.end()) return true;
    if (std::find(no.begin(), no.end(), word) != no.end()) return false;
    return std::nullopt;
}

/** The option that an answer means; null if it means none, or several. */
const std::string* option_of(const std::string& answer, const std::vector<std::string>& options)
{
    if (const auto same = std::find(options.begin(), options.end(), answer); same != options.end()) return &*same;
    const auto is_meant = [word = plain(answer)](const std::string& option) { return plain(option) == word; };
    const auto found = std::find_if(options.begin(), options.end(), is_meant);
    if (found == options.end() || std::find_if(found + 1, options.end(), is_meant) != options.end()) return nullptr;
    return &*found;
}

std::string list_of(const std::vector<std::string>& options)
{
    std::string text;
    for (const std::string& option : options) text.append(text.empty() ? "'" : ", '").append(option).append("'");
    return text;
}

/** A JSON value as a value of a type. */
human_answer converted(const boost::json::value& json, const boost::json::value& answer,
                        const human_question& question, const value_type& type)
{
    try {
        return {type.from_json(json), {}};
    } catch (const error& e) {
        return {nullptr, in_quotes(answer) + " is not " + question.expected + ": " + e.detail()};
    }
}

/** An answer in words. Where the key takes no text, the words are JSON, or yes and no. */
human_answer read_text(const boost::json::value& answer, const human_question& question, const value_type& type)
{
    if (&type == &value_type_of<std::string>) return {make_box<std::string>(readable_text(answer)), {}};
    if (&type == &value_type_of<bool>)
        if (const std::optional<bool> said = yes_or_no(answer)) return {make_box<bool>(*said), {}};
    if (!answer.is_string() || &type == &value_type_of<boost::json::value>)
        return converted(answer, answer, question, type);
    human_answer as_it_is = converted(answer, answer, question, type);
    if (as_it_is.value) return as_it_is;
    try {
        return converted(parse_json(answer.get_string()), answer, question, type);
    } catch (const error&) {
        return as_it_is;
    }
}

}  // namespace

human_answer read_answer(const boost::json::value& answer, const human_question& question, const value_type& type)
{
    switch (question.form) {
    case question_form::text: break;
    case question_form::choice: {
        const std::string* const option = option_of(readable_text(answer), question.options);
        if (!option) return {nullptr, in_quotes(answer) + " is none of " + list_of(question.options)};
        return read_text(boost::json::string_view{*option}, question, type);
    }
    case question_form::approval: {
        const std::optional<bool> said = yes_or_no(answer);
        if (!said) return {nullptr, in_quotes(answer) + " is neither yes nor no"};
        return converted(*said, answer, question, type);
    }
    }
    return read_text(answer, question, type);
}

}  // namespace weft::agent_detail
