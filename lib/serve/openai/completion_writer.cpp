#include "completion_writer.hpp"

#include "openai_error.hpp"
#include "openai_ids.hpp"
#include "openai_usage.hpp"

#include <weft/base/json/append_json_text.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <memory>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

/** Calls come first: agents look for them, whatever else has ended the run. */
std::string_view finish_of(const run_transcript& said) noexcept
{
    if (!said.calls().empty()) return "tool_calls";
    return said.is_cut() ? "length" : "stop";
}

object tool_call_view(const client_call& call)
{
    object view;
    view["id"] = call.id;
    view["type"] = "function";
    view["function"] = object{{"name", call.name}, {"arguments", call.arguments}};
    return view;
}

std::string error_data(const object& error)
{
    object data;
    data["error"] = error;
    return "data: " + boost::json::serialize(data) + "\n\n";
}

}  // namespace

std::string question_without_thread(std::string_view question)
{
    return "the graph asks '" + std::string{question} +
           "': give metadata.thread_id, so that the run is kept until it is answered";
}

object completion_view(const completion_frame& frame, const run_transcript& said)
{
    object message;
    message["role"] = "assistant";
    const std::string text = said.text();
    // Some clients take an empty text beside calls for an answer.
    message["content"] = text.empty() && !said.calls().empty() ? value(nullptr) : value(text);
    message["refusal"] = nullptr;
    message["annotations"] = array{};
    if (!said.calls().empty()) {
        array calls;
        for (const client_call& call : said.calls()) calls.push_back(tool_call_view(call));
        message["tool_calls"] = std::move(calls);
    }
    object choice;
    choice["index"] = 0;
    choice["message"] = std::move(message);
    choice["logprobs"] = nullptr;
    choice["finish_reason"] = finish_of(said);
    array choices;
    choices.push_back(std::move(choice));
    object view;
    view["id"] = frame.id;
    view["object"] = "chat.completion";
    view["created"] = frame.created;
    view["model"] = frame.model;
    view["choices"] = std::move(choices);
    view["usage"] = completion_usage_view(said.used());
    return view;
}

completion_writer::completion_writer(completion_frame frame, run_transcript said)
    : frame_{std::move(frame)}, said_{std::move(said)}
{
    head_.append("data: {\"id\":");
    // Made once: of a chunk only the piece of text is new.
    append_json_text(head_, frame_.id);
    head_.append(",\"object\":\"chat.completion.chunk\",\"created\":").append(std::to_string(frame_.created));
    head_.append(",\"model\":");
    append_json_text(head_, frame_.model);
    // All chunks of a stream that tells of usage have the member.
    if (frame_.includes_usage) head_.append(",\"usage\":null");
    head_.append(",\"choices\":[");
}

/** @param finish   Empty: more follows. */
void completion_writer::append_chunk(std::string& out, std::string_view delta, std::string_view finish)
{
    out.append(head_).append("{\"index\":0,\"delta\":").append(delta).append(",\"logprobs\":null,\"finish_reason\":");
    if (finish.empty()) out.append("null");
    else append_json_text(out, finish);
    out.append("}]}\n\n");
}

void completion_writer::begin(std::string& out)
{
    append_chunk(out, R"({"role":"assistant","content":"","refusal":null})", {});
}

void completion_writer::append_steps(std::string& out, const said_steps& steps)
{
    for (const said_step& step : steps) {
        if (step.what != said_step::kind::piece) continue;
        std::string delta{"{\"content\":"};
        const std::string_view text = step.text.empty() ? std::string_view{said_.items()[step.item].text} : step.text;
        const bool is_next = has_text_ && last_item_ != step.item;
        // Messages are one text here; a paragraph keeps them apart.
        if (is_next) append_json_text(delta, std::string{"\n\n"}.append(text));
        else append_json_text(delta, text);
        delta.push_back('}');
        append_chunk(out, delta, {});
        has_text_ = true;
        last_item_ = step.item;
    }
}

event_frames completion_writer::frames(const feed_event& event)
{
    event_frames result;
    const said_steps steps = said_.take(event.what);
    if (steps.empty()) return result;
    std::string text;
    append_steps(text, steps);
    if (!text.empty()) result.push_back(std::make_shared<const std::string>(std::move(text)));
    return result;
}

void completion_writer::append_calls(std::string& out)
{
    // Each call comes whole in one chunk: clients put pieces together by their index.
    for (std::size_t i = 0; i < said_.calls().size(); ++i) {
        object call;
        call["index"] = i;
        for (auto& [name, member] : tool_call_view(said_.calls()[i])) call[name] = std::move(member);
        array calls;
        calls.push_back(std::move(call));
        object delta;
        delta["tool_calls"] = std::move(calls);
        append_chunk(out, boost::json::serialize(delta), {});
    }
}

void completion_writer::end(std::string& out, const run_ending& ending)
{
    const said_steps steps = said_.finish(ending);
    if (is_told_as_error(ending) || ending.phase == run_phase::cancelled) {
        const std::string name = ending.error.empty() ? std::string{"cancelled"} : ending.error;
        const std::string message = ending.message.empty() ? std::string{"the run was cancelled"} : ending.message;
        out.append(error_data(failure_error_view(name, message)));
        return;
    }
    if (const question* const asked = frame_.is_kept ? nullptr : question_for_person(ending)) {
        const std::string why = question_without_thread(asked->text);
        out.append(error_data(failure_error_view("question_without_thread", why)));
        return;
    }
    append_steps(out, steps);
    append_calls(out);
    append_chunk(out, "{}", finish_of(said_));
    if (frame_.includes_usage) {
        // The last chunk has no choice: clients that look for one in it are told so by the option.
        std::string last = head_;
        const std::string_view none = ",\"usage\":null";
        last.replace(last.find(none), none.size(),
                     ",\"usage\":" + boost::json::serialize(completion_usage_view(said_.used())));
        out.append(last).append("]}\n\n");
    }
    out.append("data: [DONE]\n\n");
}

last_word_function completion_writer::last_word() const noexcept
{
    return [](const std::string& why) { return error_data(failure_error_view("unauthenticated", why)); };
}

}  // namespace weft::serve_detail
