#include "model_choice.hpp"

#include "agent/prompt/object_schema.hpp"
#include "agent/text/words_in_text.hpp"

#include <weft/base/json/json_in_text.hpp>
#include <weft/base/json/json_peek.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace weft::agent_detail {

namespace {

/** The member `answer` of an object in the reply; else the whole reply. */
std::string answer_in(std::string_view reply)
{
    const auto has_answer = [](const boost::json::object& object) { return object.contains("answer"); };
    const std::optional<boost::json::object> found = find_json_object(reply, has_answer);
    if (!found) return std::string{reply};
    const boost::json::value& answer = found->at("answer");
    if (answer.is_bool()) return answer.get_bool() ? "yes" : "no";
    return std::string{peek_text(&answer)};
}

bool stands_as_name(std::string_view text, std::string_view words)
{
    for (std::size_t at = 0; (at = text.find(words, at)) != std::string_view::npos; ++at) {
        const std::size_t end = at + words.size();
        const bool begins = at == 0 || !is_word_character(text[at - 1]);
        if (begins && (end == text.size() || !is_word_character(text[end]))) return true;
    }
    return false;
}

}  // namespace

const std::vector<std::string>& yes_and_no()
{
    static const std::vector<std::string> choices{"yes", "no"};
    return choices;
}

output_schema choice_schema(const std::vector<std::string>& choices)
{
    output_schema output;
    output.name = "choice";
    output.schema = object_schema({{"answer", one_of_schema(choices)}, {"reasoning", text_schema()}});
    return output;
}

std::string choice_instructions(const std::vector<std::string>& choices)
{
    std::string names;
    for (const std::string& one : choices)
        names.append(names.empty() ? "" : ", ").append(boost::json::serialize(boost::json::string_view{one}));
    return "Answer with one JSON object and nothing else: {\"answer\": <one of " + names +
           ">, \"reasoning\": \"<one sentence>\"}.";
}

std::optional<std::size_t> choice_in(std::string_view reply, const std::vector<std::string>& choices)
{
    const std::string answer = answer_in(reply);
    const std::string text = ascii_lower_case(without_quotes(answer));
    for (std::size_t i = 0; i < choices.size(); ++i)
        if (text == ascii_lower_case(trimmed(choices[i]))) return i;
    std::optional<std::size_t> best;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const std::string choice = ascii_lower_case(trimmed(choices[i]));
        if (choice.size() <= longest || !stands_as_name(text, choice)) continue;
        best = i;
        longest = choice.size();
    }
    return best;
}

std::optional<bool> yes_or_no_in(std::string_view reply)
{
    for (const std::string& word : words_in(ascii_lower_case(answer_in(reply)))) {
        if (word == "yes" || word == "true") return true;
        if (word == "no" || word == "false") return false;
    }
    return std::nullopt;
}

}  // namespace weft::agent_detail
