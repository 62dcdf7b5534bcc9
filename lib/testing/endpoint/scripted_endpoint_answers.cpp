#include "scripted_endpoint_answers.hpp"

#include <weft/base/error.hpp>

#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace weft::testing {

namespace {

// What OpenAI would say about the form of the request; empty when it is good.
std::string mistake_in(const scripted_endpoint_request& request)
{
    const auto* const body = request.json.if_object();
    if (!body) return "the body is not a JSON object";
    if (request.model().empty()) return "you must provide a model parameter";
    const auto* const messages = body->if_contains("messages");
    if (!messages || !messages->is_array() || messages->get_array().empty())
        return "messages must be an array with at least one message";
    const auto* const options = body->if_contains("stream_options");
    if (options && !options->is_null() && !request.wants_stream())
        return "stream_options is only allowed when stream is enabled";
    return {};
}

// Trying again would not help, so that clients are told not to.
scripted_reply refusal(int code, const std::string& message)
{
    return status(code, message).header("x-should-retry", "false");
}

std::int64_t seconds_since_1970()
{
    using std::chrono::seconds;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<seconds>(now).count();
}

}  // namespace

scripted_endpoint_answers::scripted_endpoint_answers(
    const scripted_endpoint_options& options, std::shared_ptr<scripted_endpoint_script> script,
    scripted_endpoint_record& record)
    : options_{options}, script_{std::move(script)}, record_{record}
{
}

wire_plan scripted_endpoint_answers::answer(const scripted_endpoint_request& request,
                                            bool keeps_alive)
{
    const std::string number = std::to_string(request.number);
    reply_setting setting;
    setting.naming = {"chatcmpl-" + number, std::string{request.model()}, seconds_since_1970()};
    setting.request_id = "req_" + number;
    setting.wants_stream = request.wants_stream();
    setting.wants_usage = request.wants_usage();
    setting.keeps_alive = keeps_alive;
    setting.prompt_bytes = request.body.size();
    setting.pace = options_.pace();
    std::exception_ptr cause;
    try {
        const scripted_reply reply = reply_to(request, setting);
        return plan_reply(reply.parts(), setting);
    } catch (const std::exception&) {
        cause = std::current_exception();
    }
    const std::string message = "the script threw for " + request.described() + ": ";
    return plan_reply(refusal(500, message + text_of(cause)).parts(), setting);
}

scripted_reply scripted_endpoint_answers::reply_to(const scripted_endpoint_request& request,
                                                   reply_setting& setting)
{
    if (request.is_chat())
        if (const std::string mistake = mistake_in(request); !mistake.empty())
            return refusal(400, mistake);
    if (const auto choice = script_->choose(request)) {
        setting.seed = (options_.seed() * 1'000'003 + choice->rule) * 1'000'003 + choice->use;
        return (*choice->make)(request);
    }
    if (!request.is_chat())
        return refusal(404, "this scripted endpoint has no rule for " + request.method + ' ' +
                                request.target + "; it serves POST …/chat/completions");
    record_.add_unanswered(request);
    return refusal(500, "script_exhausted: no rule of the script is for " + request.described() +
                            ", or all its replies are used; add a rule with when(…).reply(…)");
}

// Where the next request would begin is not known, so the connection ends with the answer.
wire_plan scripted_endpoint_answers::refuse(const std::string& reason) const
{
    reply_setting setting;
    setting.request_id = "req_0";
    setting.keeps_alive = false;
    return plan_reply(refusal(400, "this is not an HTTP/1.1 request: " + reason).parts(), setting);
}

}  // namespace weft::testing
