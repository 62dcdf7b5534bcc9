#include "ag_ui_writer.hpp"

#include "conversation.hpp"

#include <weft/base/list.hpp>
#include <weft/graph/state/written_values.hpp>
#include <weft/tool/call/client_call.hpp>
#include <weft/tool/call/remote_results.hpp>

#include <boost/json/array.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;

// The forms of an event: what it tells for clients that follow from the beginning, for those that follow from where the
// run went on, and the state as a whole.
constexpr std::size_t whole_run_slot = form_slots::ag_ui;
constexpr std::size_t rest_slot = form_slots::ag_ui + 1;
constexpr std::size_t state_slot = form_slots::ag_ui + 2;

object run_started(const agent_run_names& names)
{
    object event{{"type", "RUN_STARTED"}, {"threadId", names.thread}, {"runId", names.run}};
    if (names.speaks_v1) event["protocolVersion"] = "1.0";
    if (!names.parent_run.empty()) event["parentRunId"] = names.parent_run;
    // The server's own name, for its other protocols: clients of this one choose theirs.
    if (!names.own_run.empty()) event["metadata"] = object{{"weft", object{{"runId", names.own_run}}}};
    return event;
}

std::string failure_frame(std::string_view code, std::string_view message)
{
    return agent_frame({{"type", "RUN_ERROR"}, {"message", message}, {"code", code}});
}

std::string last_frame_of_agent(const std::string& why) { return failure_frame("unauthenticated", why); }

}  // namespace

agent_keys_apart keys_apart(const hosted_graph& of)
{
    const std::string& key = of.chat.messages_key();
    const state_layout& keys = *of.graph.layout();
    return {key.empty() ? state_layout::none : keys.find(key), keys.find(surroundings_key),
            keys.find(key_of_client_tools(keys))};
}

ag_ui_writer::ag_ui_writer(agent_run_names names, std::shared_ptr<const hosted_graph> of)
    : names_{std::move(names)}, graph_{std::move(of)}, apart_{keys_apart(*graph_)}, story_{apart_.messages}
{
}

void ag_ui_writer::begin(std::string& out) { out.append(agent_frame(run_started(names_))); }

void ag_ui_writer::note_first(const run_event& event) noexcept
{
    if (audience_ != audience::unknown) return;
    const bool is_start = event.what == run_event::kind::run_started && event.address.empty();
    audience_ = !is_start ? audience::apart : event.id == 1 ? audience::whole_run : audience::rest_of_run;
}

std::shared_ptr<const std::string> ag_ui_writer::told(const feed_event& event) const
{
    const auto write = [this](const feed_event& of) {
        std::string text;
        append_agent_frames(text, items_, story_, of.what, apart_);
        return text;
    };
    if (audience_ == audience::whole_run) return event.form(whole_run_slot, write);
    if (audience_ == audience::rest_of_run) return event.form(rest_slot, write);
    std::string text = write(event);
    return text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text));
}

event_frames ag_ui_writer::frames(const feed_event& event)
{
    event_frames result;
    if (story_.takes_piece(event.what)) {
        if (items_.size() != 1 || items_.front().what != story_item::kind::text_piece)
            items_.assign(1, {story_item::kind::text_piece});
        result.push_back(told(event));
        return result;
    }
    note_first(event.what);
    items_.clear();
    story_.take(event.what, items_);
    if (items_.empty()) return result;
    if (auto text = told(event)) result.push_back(std::move(text));
    if (items_.back().what != story_item::kind::state) return result;
    const auto write_state = [this](const feed_event& of) {
        return agent_snapshots_now(of.what.written->state(), apart_);
    };
    if (auto state = event.form(state_slot, write_state)) result.push_back(std::move(state));
    return result;
}

bool ag_ui_writer::is_long(const feed_event& event) const
{
    return story_.wants_state(event.what) && !event.has_form(state_slot);
}

task<void> ag_ui_writer::prepare(const feed_event& event)
{
    std::string text = co_await agent_snapshots(event.what.written->state(), apart_);
    // Another client may have asked for it meanwhile.
    if (!event.has_form(state_slot)) event.set_form(state_slot, std::move(text));
}

void ag_ui_writer::gap(std::string&)
{
    story_.lose();
    audience_ = audience::apart;
}

last_word_function ag_ui_writer::last_word() const noexcept { return last_frame_of_agent; }

void ag_ui_writer::append_close(std::string& out)
{
    items_.clear();
    story_.end(items_);
    const run_event nothing;
    append_agent_frames(out, items_, story_, nothing, apart_);
}

/** What a graph without a conversation says in the end, if it has said nothing before. */
void ag_ui_writer::append_answer(std::string& out, const state& left)
{
    if (apart_.messages != state_layout::none || story_.has_told_text()) return;
    const std::string id = "run-" + names_.own_run + ":answer";
    const run_event nothing;
    std::string answer = graph_->chat.answer(left);
    append_agent_frames(out, {{story_item::kind::whole_text, id, "assistant", std::move(answer)}}, story_, nothing,
                        apart_);
}

array ag_ui_writer::usage_form() const
{
    array result;
    if (!story_.used()) return result;
    const usage& used = *story_.used();
    object entry{{"inputTokens", used.input.count()},
                 {"outputTokens", used.output.count()},
                 {"totalTokens", used.total().count()}};
    if (used.reasoning.count() > 0) entry["reasoningTokens"] = used.reasoning.count();
    if (used.cached.count() > 0) entry["cachedInputTokens"] = used.cached.count();
    if (used.cache_written.count() > 0 && names_.speaks_v1)
        entry["cacheWriteInputTokens"] = used.cache_written.count();
    result.push_back(std::move(entry));
    return result;
}

void ag_ui_writer::append_finish(std::string& out, const run_ending& ending, object outcome)
{
    object event{{"type", "RUN_FINISHED"}, {"threadId", names_.thread}, {"runId", names_.run}};
    // A graph that talks says it in messages; the others have one answer.
    const bool has_result = ending.phase == run_phase::finished && ending.values;
    if (has_result && apart_.messages == state_layout::none) event["result"] = graph_->chat.answer(*ending.values);
    event["outcome"] = std::move(outcome);
    if (array used = usage_form(); !used.empty()) event["usage"] = std::move(used);
    out.append(agent_frame(event));
}

void ag_ui_writer::append_failure(std::string& out, std::string_view code, std::string_view message)
{
    object event{{"type", "RUN_ERROR"}, {"message", message}, {"code", code}};
    if (array used = usage_form(); !used.empty()) event["usage"] = std::move(used);
    out.append(agent_frame(event));
}

std::vector<std::string> ag_ui_writer::pending_calls(const run_ending& ending) const
{
    std::vector<std::string> ids;
    for (const open_question& question : ending.questions)
        if (auto call = client_call_in(question.asked.about)) ids.push_back(std::move(call->id));
    if (!ids.empty()) return ids;
    if (!ending.values || apart_.messages == state_layout::none) return story_.pending_calls();
    list<message> all;
    const conversation_view conversation{ending.values->at(apart_.messages)};
    for (std::size_t i = 0; i < conversation.size(); ++i) all.push_back(conversation[i]);
    for (const tool_call& call : open_tool_calls(all)) ids.push_back(call.id);
    return ids;
}

void ag_ui_writer::end(std::string& out, const run_ending& ending)
{
    append_close(out);
    if (is_told_as_error(ending)) return append_failure(out, ending.error, ending.message);
    // A client that came when all was over, and the events gone.
    if (!story_.newest() && ending.values) out.append(agent_snapshots_now(*ending.values, apart_));
    if (ending.phase == run_phase::cancelled) {
        // Before 1.0 a run that was stopped had failed.
        if (!names_.speaks_v1) return append_failure(out, "cancelled", "the run was cancelled");
        return append_finish(out, ending, {{"type", "cancelled"}});
    }
    array asked;
    for (const open_question& question : ending.questions)
        if (!client_call_in(question.asked.about)) asked.push_back(agent_interrupt_of(question));
    if (!asked.empty()) {
        return append_finish(out, ending, {{"type", "interrupt"}, {"interrupts", std::move(asked)}});
    }
    object outcome{{"type", "success"}};
    if (ending.phase == run_phase::waiting && names_.speaks_v1) {
        array pending;
        for (std::string& id : pending_calls(ending)) pending.push_back(boost::json::string{id});
        if (!pending.empty()) outcome["pendingToolCallIds"] = std::move(pending);
    }
    if (ending.phase == run_phase::finished && ending.values) append_answer(out, *ending.values);
    // A limit of steps ended it: what there is, is told, and that it is not all.
    if (ending.phase == run_phase::finished && !ending.error.empty())
        return append_failure(out, ending.error, ending.message);
    append_finish(out, ending, std::move(outcome));
}

std::string refused_stream(const agent_run_names& names, std::string_view code, std::string_view why)
{
    return agent_frame(run_started(names)) + failure_frame(code, why);
}

}  // namespace weft::serve_detail
