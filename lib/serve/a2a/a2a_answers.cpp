#include "a2a_answers.hpp"

#include "a2a_fault.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/text/ascii_text.hpp>
#include <weft/tool/call/client_call.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

std::string known_ids(const std::vector<open_question>& open)
{
    std::string known;
    for (const open_question& asked : open) known.append(known.empty() ? "" : ", ").append(asked.address);
    return known;
}

const open_question& require_open(std::string_view id, std::string_view place, const std::vector<open_question>& open)
{
    // A call of a tool of the client is named by its own id, too.
    const auto is_meant = [id](const open_question& asked) {
        const std::optional<tool_call> call = client_call_in(asked.asked.about);
        return asked.address == id || (call && call->id == id);
    };
    const auto found = std::find_if(open.begin(), open.end(), is_meant);
    if (found == open.end())
        refuse_a2a(a2a_code::stale_answer, place,
                   "the question '" + std::string{id} + "' is not open; those that are: " + known_ids(open));
    return *found;
}

/** An approval in the words of people. */
value approval_in(std::string_view text)
{
    constexpr std::array<std::string_view, 6> yes{"yes", "y", "true", "ok", "approve", "approved"};
    constexpr std::array<std::string_view, 7> no{"no", "n", "false", "reject", "rejected", "deny", "denied"};
    const auto is_word = [text](std::string_view word) { return equals_ignoring_case(word, text); };
    if (std::any_of(yes.begin(), yes.end(), is_word)) return true;
    if (std::any_of(no.begin(), no.end(), is_word)) return false;
    return value(text);
}

value value_in(std::string_view text, const question& asked)
{
    if (asked.kind == question_kind::free_text || asked.kind == question_kind::selection) return value(text);
    if (asked.kind == question_kind::approval) return approval_in(trimmed(text));
    try {
        return parse_json(text);
    } catch (const error&) {
        return value(text);  // a schema may want a text
    }
}

/** The member `answers` of the message's data; null: there is none. */
const object* named_answers(const a2a_message& message)
{
    for (const value& data : message.data) {
        const object* const members = data.if_object();
        const value* const answers = members && members->size() == 1 ? members->if_contains("answers") : nullptr;
        if (answers && answers->is_object()) return &answers->get_object();
    }
    return nullptr;
}

}  // namespace

question_answers a2a_answers(const a2a_message& message, const std::vector<open_question>& open)
{
    question_answers answers;
    if (const object* const named = named_answers(message)) {
        for (const auto& [id, answer] : *named) {
            const open_question& asked = require_open(id, "message.parts", open);
            check_answer(asked.asked, answer, asked.address);
            answers.emplace(asked.address, answer);
        }
        if (answers.empty()) refuse_a2a(a2a_code::invalid_params, "message.parts", "answers is empty");
        return answers;
    }
    const value* const meant = message.metadata.if_contains("questionId");
    const bool is_named = meant && meant->is_string();
    if (!is_named && open.size() > 1)
        refuse_a2a(a2a_code::invalid_params, "message.parts",
                   "several questions are open; send data {\"answers\": {id: value}} with their ids: " +
                       known_ids(open));
    const open_question& asked =
        is_named ? require_open(meant->get_string(), "message.metadata.questionId", open) : open.front();
    const bool is_data = message.data.size() == 1 && message.text.empty();
    const value answer = is_data ? message.data.front() : value_in(message.text, asked.asked);
    check_answer(asked.asked, answer, asked.address);
    answers.emplace(asked.address, answer);
    return answers;
}

object a2a_asking(std::string_view task, std::string_view context, const std::vector<open_question>& open)
{
    array parts;
    array questions;
    std::string text;
    std::string id{task};
    for (const open_question& asked : open) {
        text.append(text.empty() ? "" : "\n").append(asked.asked.text);
        object shown = to_json(asked.asked);
        shown["id"] = asked.address;
        questions.push_back(std::move(shown));
        id.append(":").append(asked.address);
    }
    if (open.empty()) text = "The task waits for input.";
    parts.push_back(object{{"text", text}});
    if (!open.empty())
        parts.push_back(
            object{{"data", object{{"questions", std::move(questions)}}}, {"mediaType", "application/json"}});
    return {{"messageId", id}, {"contextId", context}, {"taskId", task},
            {"role", "ROLE_AGENT"}, {"parts", std::move(parts)}};
}

}  // namespace weft::serve_detail
