#include "served_call.hpp"

#include "mcp_core.hpp"
#include "tool/mcp/mcp_pending.hpp"

#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/tool/mcp_server/mcp_refusals.hpp>

#include <utility>

namespace weft::mcp_detail {

namespace {

using boost::json::object;
using boost::json::value;

value token_in(const object& params)
{
    const object* const meta = peek_object(params, "_meta");
    const value* const token = meta ? peek_member(*meta, "progressToken") : nullptr;
    return token && json_rpc_id_of(*token) ? *token : value(nullptr);
}

/** The capability that a question to a client takes. */
object capability_for(std::string_view method, const object& params)
{
    object needed;
    if (method == "sampling/createMessage") needed["sampling"] = object{};
    else if (method == "roots/list") needed["roots"] = object{};
    else if (peek_text(params, "mode") == "url") needed["elicitation"] = object{{"url", object{}}};
    else needed["elicitation"] = object{{"form", object{}}};
    return needed;
}

bool can_client(const mcp_peer& client, std::string_view method, const object& params)
{
    if (method == "sampling/createMessage") return client.samples();
    if (method == "roots/list") return client.has_roots();
    return client.elicits(peek_text(params, "mode") == "url" ? "url" : "form");
}

}  // namespace

served_call::served_call(mcp_core& core, json_rpc_message request, origin from)
    : core_{core}, request_{std::move(request)}, from_{std::move(from)}, progress_token_(token_in(request_.params()))
{
}

const mcp_peer& served_call::client() const noexcept
{
    const bool is_legacy = from_.session && from_.client.era == mcp_era::legacy;
    return is_legacy ? from_.session->client : from_.client;
}

void served_call::send(const json_rpc_message& message, bool may_be_lost)
{
    from_.out->send(message.text(), std::exchange(mark_, {}), may_be_lost);
}

void served_call::progress(double done, std::optional<double> total, std::string_view message)
{
    // Progress that does not rise is against the protocol.
    if (!wants_progress() || !(done > progress_)) return;
    progress_ = done;
    object params;
    params["progressToken"] = progress_token_;
    // Whole numbers are written as such: some clients read nothing else.
    const auto put = [&params](const char* name, double number) {
        if (const auto whole = peek_whole(value(number))) params[name] = *whole;
        else params[name] = number;
    };
    put("progress", done);
    if (total) put("total", *total);
    if (!message.empty()) params["message"] = message;
    send(json_rpc_message::notification("notifications/progress", std::move(params)), true);
}

void served_call::log(std::string_view level, value data, std::string_view logger)
{
    if (!client().hears(level)) return;
    object params{{"level", level}, {"data", std::move(data)}};
    if (!logger.empty()) params["logger"] = logger;
    send(json_rpc_message::notification("notifications/message", std::move(params)), true);
}

void served_call::require_client_can(std::string_view method, const object& params) const
{
    if (can_client(client(), method, params)) return;
    object needed = capability_for(method, params);
    const std::string text = "the client has not declared that it can answer " + std::string{method};
    if (!is_modern()) throw error{errc::mcp_unsupported, request_.method(), text};
    object data{{"requiredCapabilities", std::move(needed)}};
    throw mcp_rejection{json_rpc_code::missing_capability, text, std::move(data)};
}

task<object> served_call::ask(std::string method, object params, std::string name)
{
    if (name.empty()) name = "question-" + std::to_string(++asks_);
    object questions;
    questions[name] = object{{"method", std::move(method)}, {"params", std::move(params)}};
    object answers = co_await ask_all(std::move(questions));
    co_return std::move(answers.at(name).get_object());
}

task<object> served_call::ask_all(object questions)
{
    for (const auto& [name, question] : questions) {
        const object& asked = question.as_object();
        require_client_can(asked.at("method").as_string(), asked.at("params").as_object());
    }
    if (is_modern()) co_return ask_again(std::move(questions));
    object answers;
    for (auto& [name, question] : questions) {
        object& asked = question.get_object();
        std::string method{asked.at("method").get_string()};
        object answer = co_await ask_now(std::move(method), std::move(asked.at("params").get_object()));
        answers[name] = std::move(answer);
    }
    co_return answers;
}

/** To what the answers belong that a client brings back: nothing else may use them. */
std::string served_call::bound() const
{
    const object& params = request_.params();
    object of{{"method", request_.method()}};
    for (const char* const name : {"name", "uri", "arguments"})
        if (const value* const member = peek_member(params, name)) of[name] = *member;
    return from_.caller.principal + '\n' + to_canonical_json_text(of);
}

void served_call::read_answers()
{
    if (answers_) return;
    answers_.emplace();
    const object& params = request_.params();
    if (const value* const state = peek_member(params, "requestState")) {
        auto before = core_.states.open(peek_text(state), bound(), core_.loop().clock().system_now());
        if (!before)
            throw mcp_rejection{json_rpc_code::invalid_params,
                                "params.requestState: it is not of this request, or has expired; begin anew"};
        answers_ = std::move(before);
    }
    const object* const given = peek_object(params, "inputResponses");
    if (!given) return;
    // One that is none is asked for again.
    for (const auto& [name, answer] : *given)
        if (answer.is_object()) (*answers_)[name] = answer;
}

object served_call::ask_again(object questions)
{
    read_answers();
    mcp_input_required wanted;
    object answers;
    for (auto& [name, question] : questions) {
        if (const object* const answer = peek_object(*answers_, name)) answers[name] = *answer;
        else wanted.requests[name] = std::move(question);
    }
    if (wanted.requests.empty()) return answers;
    const auto until = core_.loop().clock().system_now() +
                       std::chrono::duration_cast<clock::system_time_point::duration>(core_.options.ask_timeout);
    wanted.state = core_.states.seal(*answers_, bound(), until);
    // What was answered before goes with it: the client brings back nothing else.
    throw wanted;
}

task<object> served_call::ask_now(std::string method, object params)
{
    if (!from_.session) throw error{errc::mcp_unsupported, request_.method(), "there is no session to ask in"};
    // The session, and with it the table of questions, lives as long as this call.
    pending_limits limits;
    pending_request waiting{from_.session->asked, core_.loop(), limits};
    send(json_rpc_message::request(json_rpc_id{waiting.id()}, method, std::move(params)), false);
    bool is_late = false;
    try {
        co_await with_deadline(waiting.wait(), core_.options.ask_timeout);
    } catch (const error& e) {
        if (e.code() != errc::timeout) throw;
        is_late = true;
    }
    // Told, so that the person is not asked any longer.
    if (is_late) {
        object about{{"requestId", waiting.id()}, {"reason", "no answer in time"}};
        send(json_rpc_message::notification("notifications/cancelled", std::move(about)), true);
        throw error{errc::timeout, method, "the client has not answered in time"};
    }
    json_rpc_message answer = waiting.take();
    if (answer.what() == json_rpc_message::kind::error) throw mcp_refused(method, mcp_refusal{0, answer.why()});
    if (!answer.value().is_object())
        throw error{errc::invalid_mcp_message, method, "the client's result is no object"};
    co_return std::move(answer.value().get_object());
}

void served_call::cancel()
{
    is_cancelled_ = true;
    stop();
}

void served_call::stop()
{
    is_stopped_ = true;
    if (work_) work_->request_stop();
}

}  // namespace weft::mcp_detail
