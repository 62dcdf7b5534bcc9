#include "response_writer.hpp"

#include "openai_error.hpp"

#include <weft/base/json/append_json_text.hpp>

#include <boost/json/serialize.hpp>

#include <memory>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using step_kind = said_step::kind;

/** How many events a step makes. */
std::uint64_t events_of(step_kind what) noexcept
{
    switch (what) {
    case step_kind::begin: return 2;
    case step_kind::piece: return 1;
    case step_kind::end:
    case step_kind::drop: break;
    }
    return 3;
}

void append_place(std::string& out, std::string_view item_id, std::size_t index)
{
    out.append(",\"item_id\":");
    append_json_text(out, item_id);
    out.append(",\"output_index\":").append(std::to_string(index));
}

void append_part(std::string& out, std::string_view text)
{
    out.append(",\"content_index\":0,\"part\":{\"type\":\"output_text\",\"text\":");
    append_json_text(out, text);
    out.append(",\"annotations\":[],\"logprobs\":[]}");
}

constexpr std::string_view event_end = "}\n\n";

}  // namespace

response_writer::response_writer(response_frame frame, run_transcript said, std::optional<std::uint64_t> seen,
                                 std::function<std::int64_t()> now)
    : frame_{std::move(frame)}, said_{std::move(said)}, first_{seen ? *seen + 1 : 0}, now_{std::move(now)}
{
}

bool response_writer::open_event(std::string& out, std::string_view type)
{
    const std::uint64_t number = next_++;
    // It counts, so that the numbers of the next ones are those of all clients.
    if (number < first_) return false;
    out.append("event: ").append(type).append("\ndata: {\"type\":\"").append(type);
    out.append("\",\"sequence_number\":").append(std::to_string(number));
    return true;
}

void response_writer::append_response(std::string& out, std::string_view type, object response)
{
    if (!open_event(out, type)) return;
    out.append(",\"response\":").append(boost::json::serialize(response)).append(event_end);
}

void response_writer::append_item_event(std::string& out, std::string_view type, std::size_t index, object item)
{
    if (!open_event(out, type)) return;
    out.append(",\"output_index\":").append(std::to_string(index));
    out.append(",\"item\":").append(boost::json::serialize(item)).append(event_end);
}

void response_writer::append_step(std::string& out, const said_step& step)
{
    const said_item& item = said_.items()[step.item];
    switch (step.what) {
    case step_kind::begin:
        append_item_event(out, "response.output_item.added", step.item, message_item(item, "in_progress"));
        if (!open_event(out, "response.content_part.added")) return;
        append_place(out, item.id, step.item);
        append_part(out, {});
        out.append(event_end);
        return;
    case step_kind::piece:
        if (!open_event(out, "response.output_text.delta")) return;
        append_place(out, item.id, step.item);
        out.append(",\"content_index\":0,\"delta\":");
        append_json_text(out, step.text.empty() ? std::string_view{item.text} : step.text);
        out.append(",\"logprobs\":[]").append(event_end);
        return;
    case step_kind::end:
    case step_kind::drop: break;
    }
    if (open_event(out, "response.output_text.done")) {
        append_place(out, item.id, step.item);
        out.append(",\"content_index\":0,\"text\":");
        append_json_text(out, item.text);
        out.append(",\"logprobs\":[]").append(event_end);
    }
    if (open_event(out, "response.content_part.done")) {
        append_place(out, item.id, step.item);
        append_part(out, item.text);
        out.append(event_end);
    }
    const bool is_void = step.what == step_kind::drop;
    append_item_event(out, "response.output_item.done", step.item,
                      message_item(item, is_void ? "incomplete" : "completed"));
}

void response_writer::append_steps(std::string& out, const said_steps& steps)
{
    for (const said_step& step : steps) append_step(out, step);
}

void response_writer::append_calls(std::string& out)
{
    std::size_t index = said_.items().size();
    for (const client_call& call : said_.calls()) {
        append_item_event(out, "response.output_item.added", index, call_item(call, "in_progress"));
        const std::string id = "fc_" + call.id;
        if (open_event(out, "response.function_call_arguments.delta")) {
            append_place(out, id, index);
            out.append(",\"delta\":");
            append_json_text(out, call.arguments);
            out.append(event_end);
        }
        if (open_event(out, "response.function_call_arguments.done")) {
            append_place(out, id, index);
            out.append(",\"name\":");
            append_json_text(out, call.name);
            out.append(",\"arguments\":");
            append_json_text(out, call.arguments);
            out.append(event_end);
        }
        append_item_event(out, "response.output_item.done", index, call_item(call, "completed"));
        ++index;
    }
}

void response_writer::begin(std::string& out)
{
    append_response(out, "response.created", begun_response(frame_, "in_progress"));
    append_response(out, "response.in_progress", begun_response(frame_, "in_progress"));
}

event_frames response_writer::frames(const feed_event& event)
{
    event_frames result;
    const said_steps steps = said_.take(event.what);
    if (steps.empty()) return result;
    std::uint64_t count = 0;
    for (const said_step& step : steps) count += events_of(step.what);
    const std::uint64_t first = next_;
    next_ = first + count;
    // The client has had all of it.
    if (next_ <= first_) return result;
    const auto make = [&](const feed_event&) {
        std::string text;
        next_ = first;
        append_steps(text, steps);
        return text;
    };
    // A client that has had a part of the events of this one gets a text of its own.
    if (first < first_) result.push_back(std::make_shared<const std::string>(make(event)));
    else if (auto form = event.form(form_slots::openai_responses, make)) result.push_back(std::move(form));
    return result;
}

void response_writer::end(std::string& out, const run_ending& ending)
{
    run_ending rest = ending;
    // What has waited and goes on is told as it was when it waited.
    if (said_.is_past()) {
        rest = run_ending{};
        rest.phase = run_phase::waiting;
    }
    const said_steps steps = said_.finish(rest);
    append_steps(out, steps);
    append_calls(out);
    const response_standing standing = standing_of(rest, said_, frame_.completed_at.value_or(now_()));
    std::string_view type = "response.completed";
    if (standing.status == "failed") type = "response.failed";
    // The protocol has no event for one that was cancelled; its status says it.
    if (standing.status == "incomplete" || standing.status == "cancelled") type = "response.incomplete";
    append_response(out, type, response_view(frame_, standing, said_));
}

std::string response_error_frame(std::string_view code, std::string_view message)
{
    object error;
    error["type"] = "error";
    error["sequence_number"] = 0;
    error["code"] = code;
    error["message"] = message;
    error["param"] = nullptr;
    object inner;
    inner["type"] = "server_error";
    inner["code"] = code;
    inner["message"] = message;
    inner["param"] = nullptr;
    error["error"] = std::move(inner);
    return "event: error\ndata: " + boost::json::serialize(error) + "\n\n";
}

last_word_function response_writer::last_word() const noexcept
{
    return [](const std::string& why) { return response_error_frame("unauthenticated", why); };
}

}  // namespace weft::serve_detail
