#include "turn_plan.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace weft::serve_detail {

namespace {

/** How ids of messages begin that runs have written, see `message_id_of`. */
constexpr std::string_view own_messages{"run-"};

agent_turn refused(std::string code, std::string why)
{
    agent_turn result;
    result.what = agent_turn::kind::refuse;
    result.code = std::move(code);
    result.why = std::move(why);
    return result;
}

/** What a tool of the client gave, or that it failed. */
boost::json::value result_in(const agent_message& message)
{
    const boost::json::value& content = message.form.at("content");
    const boost::json::value text = content.is_string() ? content : boost::json::value(message.text);
    if (!message.form.contains("status")) return text;
    return boost::json::object{{"content", text}, {"is_error", true}};
}

bool is_new(const agent_message& message, const known_conversation& known)
{
    if (known.messages.contains(message.id)) return false;
    // The turn of a model that waits for the client is the run's, and comes into the conversation with its results.
    const bool is_of_turn = message.role == role::assistant || message.role == role::tool;
    if (!known.client_calls.empty() && is_of_turn) return false;
    // A result that a run told under another id.
    if (message.role == role::tool) return !known.answered.contains(message.answered_call);
    if (message.role != role::assistant) return true;
    // A piece of an answer that its run did not keep; calls that a run told before it wrote their message.
    const auto is_known = [&](const std::string& call) { return known.calls.contains(call); };
    const bool has_known_calls =
        !message.calls.empty() && std::all_of(message.calls.begin(), message.calls.end(), is_known);
    return !has_known_calls && !message.id.starts_with(own_messages);
}

/** A client that wants another answer leaves out what followed its last message. One that brings something new may know
 *  less of the thread than others who speak there: that takes nothing away from it. */
bool wants_another_answer(const agent_input& input, const known_conversation& known)
{
    if (input.messages.empty() || input.messages.back().role != role::user) return false;
    const std::string& last = input.messages.back().id;
    return known.messages.contains(last) && !known.last_message.empty() && last != known.last_message;
}

/** @return  A refusal, or the answers. */
agent_turn answering(const agent_input& input, const known_conversation& known)
{
    agent_turn result;
    result.what = agent_turn::kind::answer;
    for (const agent_answer& answer : input.answers) {
        const bool is_open =
            std::find(known.questions.begin(), known.questions.end(), answer.question) != known.questions.end();
        if (!is_open) {
            std::string open;
            for (const std::string& one : known.questions) open.append(open.empty() ? "" : ", ").append(one);
            return refused("stale_interrupt", "resume: the question '" + answer.question + "' is not open; open: " +
                                                  (open.empty() ? std::string{"none"} : open));
        }
        if (answer.is_cancelled) result.what = agent_turn::kind::cancel;
        result.answers[answer.question] = answer.payload;
    }
    return result;
}

/** Results of the client's own tools are answers to the run that waits for them, all of them together.
 *  @return  Nothing: the request has none. */
std::optional<agent_turn> giving_results(const agent_input& input, const known_conversation& known)
{
    agent_turn result;
    result.what = agent_turn::kind::answer;
    std::set<std::string_view> asked;
    for (const agent_message& message : input.messages) {
        asked.insert(message.calls.begin(), message.calls.end());
        if (message.role != role::tool) continue;
        const auto open = known.client_calls.find(message.answered_call);
        if (open != known.client_calls.end()) result.answers[open->second] = result_in(message);
        else if (!known.calls.contains(message.answered_call) && !asked.contains(message.answered_call))
            return refused("unknown_tool_call", "messages: '" + message.id + "' answers the call '" +
                                                    message.answered_call + "', which is not open");
    }
    if (result.answers.empty()) return std::nullopt;
    std::string missing;
    for (const auto& [call, address] : known.client_calls)
        if (!result.answers.contains(address)) missing.append(missing.empty() ? "" : ", ").append(call);
    if (missing.empty()) return result;
    return refused("missing_tool_result", "messages: the calls " + missing +
                                              " have no result: send those of all calls together");
}

}  // namespace

agent_turn plan_turn(const agent_input& input, const known_conversation& known)
{
    agent_turn turn;
    if (known.has_request) {
        turn.what = agent_turn::kind::join;
        return turn;
    }
    if (!input.answers.empty()) {
        turn = answering(input, known);
        if (turn.what == agent_turn::kind::refuse) return turn;
    }
    std::optional<agent_turn> results;
    if (!known.client_calls.empty() && turn.what != agent_turn::kind::cancel) results = giving_results(input, known);
    if (results) {
        if (results->what == agent_turn::kind::refuse) return std::move(*results);
        turn.what = agent_turn::kind::answer;
        for (auto& [address, answer] : results->answers) turn.answers[address] = std::move(answer);
    }
    std::set<std::string_view> asked;
    bool has_results = false;
    for (std::size_t i = 0; i < input.messages.size(); ++i) {
        const agent_message& message = input.messages[i];
        asked.insert(message.calls.begin(), message.calls.end());
        if (!is_new(message, known)) continue;
        if (message.role == role::tool) {
            const bool is_of_thread = known.calls.contains(message.answered_call);
            if (!is_of_thread && !asked.contains(message.answered_call))
                return refused("unknown_tool_call", "messages: '" + message.id + "' answers the call '" +
                                                        message.answered_call + "', which the conversation has not");
            has_results |= is_of_thread;
        }
        turn.added.push_back(i);
    }
    const bool is_waiting = known.run == known_conversation::run_state::waiting;
    // A person who leaves a question open and says something else goes on with that.
    if (turn.what == agent_turn::kind::cancel && !turn.added.empty()) turn.what = agent_turn::kind::begin;
    if (turn.what == agent_turn::kind::answer || !input.answers.empty()) return turn;
    const bool has_run = known.run != known_conversation::run_state::none;
    if (turn.added.empty() && has_run) turn.what = agent_turn::kind::join;
    else if (turn.added.empty() && wants_another_answer(input, known)) turn.what = agent_turn::kind::again;
    else if (is_waiting && known.questions.empty() && has_results) turn.what = agent_turn::kind::post;
    return turn;
}

}  // namespace weft::serve_detail
