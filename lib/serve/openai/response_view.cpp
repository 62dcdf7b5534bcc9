#include "response_view.hpp"

#include "openai_usage.hpp"

#include <utility>

namespace weft::serve_detail {

using boost::json::array;
using boost::json::object;
using boost::json::value;

response_standing standing_of(const run_ending& ending, const run_transcript& said, std::int64_t now_seconds)
{
    response_standing standing;
    switch (ending.phase) {
    case run_phase::finished:
    // A response that asks is whole: its answer belongs to the next one.
    case run_phase::waiting: standing.status = "completed"; break;
    case run_phase::cancelled: standing.status = "cancelled"; break;
    case run_phase::failed:
    case run_phase::dead: standing.status = "failed"; break;
    case run_phase::queued:
    case run_phase::ready: standing.status = "queued"; return standing;
    case run_phase::running: return standing;
    }
    if (standing.status == "failed") {
        object why;
        why["code"] = ending.error.empty() ? std::string{"server_error"} : ending.error;
        why["message"] = ending.message;
        standing.error = std::move(why);
        return standing;
    }
    // A run can wait for something that no client of this protocol can give.
    const bool is_paused = ending.phase == run_phase::waiting && said.calls().empty();
    if (said.is_cut() || is_paused) {
        standing.status = "incomplete";
        standing.incomplete = object{{"reason", is_paused ? "paused" : "max_output_tokens"}};
    }
    if (standing.status == "completed") standing.completed_at = now_seconds;
    return standing;
}

object message_item(const said_item& item, std::string_view status)
{
    array content;
    // The text of one that has just begun comes in the events behind it.
    if (status != "in_progress") {
        object part;
        part["type"] = "output_text";
        part["text"] = item.text;
        part["annotations"] = array{};
        part["logprobs"] = array{};
        content.push_back(std::move(part));
    }
    object view;
    view["type"] = "message";
    view["id"] = item.id;
    view["status"] = status;
    view["role"] = "assistant";
    view["content"] = std::move(content);
    return view;
}

object call_item(const client_call& call, std::string_view status)
{
    object view;
    view["type"] = "function_call";
    view["id"] = "fc_" + call.id;
    view["call_id"] = call.id;
    view["name"] = call.name;
    view["arguments"] = status == "in_progress" ? std::string{} : call.arguments;
    view["status"] = status;
    return view;
}

object begun_response(const response_frame& frame, std::string_view status)
{
    object view;
    view["id"] = frame.id.text();
    view["object"] = "response";
    view["created_at"] = frame.created_at;
    view["completed_at"] = nullptr;
    view["status"] = status;
    view["error"] = nullptr;
    view["incomplete_details"] = nullptr;
    view["output"] = array{};
    view["usage"] = nullptr;
    // All of them, always: the specification has no optional members.
    for (const auto& [name, given] : frame.echo) view[name] = given;
    return view;
}

object response_view(const response_frame& frame, const response_standing& standing, const run_transcript& said)
{
    object view = begun_response(frame, standing.status);
    if (standing.completed_at) view["completed_at"] = *standing.completed_at;
    view["error"] = standing.error;
    view["incomplete_details"] = standing.incomplete;
    array output;
    for (const said_item& item : said.items())
        if (!item.is_void) output.push_back(message_item(item, item.is_done ? "completed" : "incomplete"));
    for (const client_call& call : said.calls()) output.push_back(call_item(call, "completed"));
    view["output"] = std::move(output);
    const bool is_under_way = standing.status == "in_progress" || standing.status == "queued";
    // What a run has used is known when it is over.
    if (!is_under_way) view["usage"] = response_usage_view(said.used());
    return view;
}

}  // namespace weft::serve_detail
