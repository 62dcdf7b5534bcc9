#include "thread_frames.hpp"

#include "serve/state/message_ids.hpp"
#include "serve/state/state_wire.hpp"
#include "serve/wire/stream_frames.hpp"

#include <weft/agent/chat_agent/completion_signal.hpp>
#include <weft/agent/core/agent_event.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

bool is_text_of_model(std::string_view label) noexcept
{
    return label == agent_event::output || label == agent_event::internal_output ||
           label == agent_event::message_delta || label == agent_event::delta;
}

/** `outer:2`, `inner:1`: the nodes with their visits, as clients name the graphs within nodes. */
channel_filter::path path_of(const run_event& event)
{
    channel_filter::path path;
    std::string_view names = event.address;
    std::string_view visits = event.address_visits;
    while (!names.empty()) {
        const std::string_view name = names.substr(0, names.find('/'));
        const std::string_view visit = visits.substr(0, visits.find('/'));
        path.push_back(std::string{name} + ':' + std::string{visit});
        names.remove_prefix(std::min(name.size() + 1, names.size()));
        visits.remove_prefix(std::min(visit.size() + 1, visits.size()));
    }
    return path;
}

value parsed_or_text(const std::string& text)
{
    try {
        return parse_json(text);
    } catch (const error&) {
        return value(text);
    }
}

object text_block(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

object task_of(const run_event& event)
{
    object data{{"id", message_id_of(event)}, {"name", event.node}};
    if (event.what == run_event::kind::node_started) return data;
    data["result"] = object{};
    if (event.what == run_event::kind::node_failed) data["error"] = event.text;
    return data;
}

/** A run that its process has lost begins again at its last checkpoint: messages that were open are begun anew. */
bool is_new_beginning(const run_event& event) noexcept
{
    return event.what == run_event::kind::run_started && event.address.empty();
}

completion_signal completion_of_ending(const run_ending& ending, const std::string& thread)
{
    completion_signal signal;
    signal.thread = thread;
    signal.waiting_for_user = ending.phase == run_phase::waiting || ending.phase == run_phase::cancelled;
    if (ending.phase == run_phase::cancelled) signal.stop = agent_stop::aborted;
    if (ending.phase == run_phase::waiting) signal.stop = agent_stop::paused;
    if (signal.waiting_for_user || !ending.values) return signal;
    const std::uint32_t slot = ending.values->layout().find(agent_keys::status.name());
    if (slot == state_layout::none) return signal;  // the graph is no agent
    if (const agent_status* const status = ending.values->find(agent_keys::status)) {
        signal.stop = status->stop;
        signal.waiting_for_user = status->waiting_for_user;
    }
    return signal;
}

std::int64_t now_ms(const clock& tells)
{
    // For people only: clients put events in order by their numbers.
    const auto now = tells.system_now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

/** Where frames of one entry stand. */
struct thread_frames::place {
    std::uint64_t sequence;
    std::string run;
    std::string event_id;
    channel_filter::path path;
    std::uint64_t frame = 0;
};

bool thread_frames::is_wanted(const place& at, std::string_view channel, std::string_view method) const
{
    // A custom channel has the name of its events behind `custom:`.
    const std::string_view name = method.substr(std::min<std::size_t>(7, method.size()));
    return std::any_of(filters_.begin(), filters_.end(), [&](const auto& named) {
        const channel_filter& filter = named.second;
        return (channel == "custom" ? filter.wants_custom(name) : filter.wants(channel)) && filter.reaches(at.path);
    });
}

void thread_frames::put(std::string& out, place& at, std::string_view channel, std::string_view method, object data,
                        std::string_view node)
{
    // Frames are counted before they are left out, so that their numbers are those that other clients see.
    const std::uint64_t number = at.sequence * frames_max + at.frame++;
    const bool is_custom = channel == "custom";
    const bool is_seen = number <= seen_ && entry_of(number) == entry_of(seen_);
    if (is_seen || !is_wanted(at, channel, method)) return;
    array path;
    for (const std::string& name : at.path) path.push_back(value(name));
    // One object for each frame: what differs from client to client is which of them it gets.
    object params{{"namespace", std::move(path)}, {"timestamp", now_ms(*clock_)}, {"data", std::move(data)}};
    if (!node.empty()) params["node"] = node;
    const object frame{{"type", "event"},
                       {"event_id", at.event_id + ':' + std::to_string(at.frame)},
                       {"seq", number},
                       {"method", is_custom ? std::string_view{"custom"} : method},
                       {"params", std::move(params)}};
    if (form_ == form::lines) {
        out.append(boost::json::serialize(frame)) += '\n';
        return;
    }
    out.append("id: ").append(std::to_string(number)).append("\nevent: ");
    out.append(is_custom ? std::string_view{"custom"} : method).append("\ndata: ");
    out.append(boost::json::serialize(frame)).append("\n\n");
}

std::uint64_t thread_frames::go_on_behind(const thread_tape& tape, std::uint64_t number)
{
    seen_ = number;
    const std::uint64_t after = before_entry(tape, entry_of(number));
    std::uint64_t passed = 0;
    for (const tape_entry* entry = tape.after(passed); entry && entry->sequence <= after; entry = tape.after(passed)) {
        pass(*entry);
        passed = entry->sequence;
    }
    return after;
}

/** The client has the frames of an entry. Nothing is made of it: a tape can be long, and its states large. */
void thread_frames::pass(const tape_entry& entry)
{
    if (!entry.event) return open_.clear();
    const run_event& what = entry.event->what;
    if (is_new_beginning(what)) open_.clear();
    if (what.what == run_event::kind::output && is_text_of_model(what.label)) open_[message_id_of(what)] += what.text;
    if (what.what == run_event::kind::node_succeeded || what.what == run_event::kind::node_failed)
        open_.erase(message_id_of(what));
}

void thread_frames::append(std::string& out, const tape_entry& entry)
{
    // A run that pauses and goes on has several endings: clients leave out what has an id that they know.
    std::string id = entry.run.text() + ':' + std::to_string(entry.event ? entry.event->what.id : entry.ends_after);
    if (!entry.event) id.append(":end");
    place at{entry.sequence, entry.run.text(), std::move(id), {}};
    if (!entry.event) return append_end(out, at, *entry.ending);
    at.path = path_of(entry.event->what);
    append_event(out, at, *entry.event);
}

void thread_frames::append_event(std::string& out, place& at, const feed_event& event)
{
    const run_event& what = event.what;
    switch (what.what) {
    case run_event::kind::run_started:
        if (is_new_beginning(what)) open_.clear();
        put(out, at, "lifecycle", "lifecycle", {{"event", "running"}});
        break;
    case run_event::kind::run_finished:
        // The end of the run itself is told when its store knows it.
        if (!what.address.empty()) put(out, at, "lifecycle", "lifecycle", {{"event", "completed"}});
        break;
    case run_event::kind::node_started: put(out, at, "tasks", "tasks", task_of(what), what.node); break;
    case run_event::kind::node_succeeded:
    case run_event::kind::node_failed:
        end_text(out, at, what);
        put(out, at, "tasks", "tasks", task_of(what), what.node);
        break;
    case run_event::kind::output: append_text(out, at, what); break;
    case run_event::kind::question_asked:
        // The SDK in JavaScript reads the payload, the one in Python the value.
        put(out, at, "input", "input.requested",
            {{"interrupt_id", what.label}, {"payload", asked_in(what)}, {"value", asked_in(what)}});
        break;
    case run_event::kind::question_answered:
        put(out, at, "input", "input.answered", {{"interrupt_ids", array{value(what.label)}}});
        break;
    default: break;
    }
    if (!what.written) return;
    if (what.what == run_event::kind::state_written)
        put(out, at, "updates", "updates", {{what.node, writes_for_client(*what.written)}}, what.node);
    if (!what.written->is_in_branch()) put(out, at, "values", "values", values_for_client(what.written->state()));
}

void thread_frames::append_text(std::string& out, place& at, const run_event& event)
{
    if (!is_text_of_model(event.label)) {
        const std::string method = "custom:" + event.label;
        return put(out, at, "custom", method,
                   {{"name", event.label}, {"payload", parsed_or_text(event.text)}}, event.node);
    }
    const std::string id = message_id_of(event);
    const auto [said, is_new] = open_.try_emplace(id);
    said->second.append(event.text);
    if (is_new) {
        const object metadata{{"run_id", at.run}};
        put(out, at, "messages", "messages",
            {{"event", "message-start"}, {"role", "ai"}, {"id", id}, {"metadata", metadata}}, event.node);
        put(out, at, "messages", "messages",
            {{"event", "content-block-start"}, {"index", 0}, {"content", text_block("")}}, event.node);
    } else {
        at.frame += 2;  // so that a frame has one number for clients that came before it and behind it
    }
    const object delta{{"type", "text-delta"}, {"text", event.text}};
    put(out, at, "messages", "messages", {{"event", "content-block-delta"}, {"index", 0}, {"delta", delta}},
        event.node);
}

void thread_frames::end_text(std::string& out, place& at, const run_event& event)
{
    // Also of a node that failed: what its model said stays on the screen until the values come.
    const auto said = open_.extract(message_id_of(event));
    if (said.empty()) {
        at.frame += 2;
        return;
    }
    put(out, at, "messages", "messages",
        {{"event", "content-block-finish"}, {"index", 0}, {"content", text_block(said.mapped())}}, event.node);
    put(out, at, "messages", "messages", {{"event", "message-finish"}}, event.node);
}

void thread_frames::append_end(std::string& out, place& at, const run_ending& ending)
{
    object data;
    switch (ending.phase) {
    case run_phase::waiting:
    case run_phase::cancelled: data["event"] = "interrupted"; break;
    case run_phase::failed:
    case run_phase::dead:
        data["event"] = "failed";
        data["error"] = ending.message;
        break;
    default: data["event"] = "completed"; break;
    }
    open_.clear();  // a run that was cut short ends no message
    put(out, at, "lifecycle", "lifecycle", std::move(data));
    append_completion(out, at, ending);
}

/** What chats of Sulla wait for: no event of the protocol, but a message of its own form. */
void thread_frames::append_completion(std::string& out, const place& at, const run_ending& ending) const
{
    for (const std::string_view channel : {"completion", "completion:nested"}) {
        if (!is_wanted(at, channel, channel)) continue;
        const bool is_nested = channel != "completion";
        const std::string text = boost::json::serialize(
            is_nested ? wire_form(completion_of_ending(ending, thread_))
                      : object{{"type", "transfer_data"}, {"content", "graph_execution_complete"}});
        if (form_ == form::lines) out.append(text) += '\n';
        else out.append("event: transfer_data\ndata: ").append(text).append("\n\n");
    }
}

}  // namespace weft::serve_detail
