#include "agent_story.hpp"

#include "conversation.hpp"
#include "serve/state/message_ids.hpp"
#include "serve/wire/emitted.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/graph/state/written_values.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include <algorithm>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;
using item_kind = story_item::kind;

/** Text for the person who talks with the agent; a loop that faces no person emits `internal_output`. */
bool is_said(std::string_view label) noexcept
{
    return label == agent_event::output || label == agent_event::message_delta || label == agent_event::delta;
}

bool is_of_call(std::string_view label) noexcept
{
    return label == agent_event::tool_start || label == agent_event::tool_end || label == agent_event::remote_call;
}

bool has_whole_state(const run_event& event) noexcept
{
    return event.written && event.address.empty() && !event.written->is_in_branch();
}

void add_usage(std::optional<usage>& to, const run_event& event)
{
    try {
        const usage more = boost::json::value_to<usage>(emitted_value(event));
        if (more == usage{}) return;
        if (!to) to.emplace();
        *to += more;
    } catch (const error&) {
        // A node that emits something else under this name has used nothing.
    }
}

}  // namespace

bool agent_story::wants_state(const run_event& event) const noexcept { return has_whole_state(event) && !newest_; }

void agent_story::take(const run_event& event, std::vector<story_item>& to)
{
    switch (event.what) {
    case run_event::kind::run_started:
        if (event.address.empty()) go_on(to);
        break;
    case run_event::kind::node_started: begin_step(event, to); break;
    case run_event::kind::node_succeeded:
    case run_event::kind::node_failed: end_visit(event, to); break;
    case run_event::kind::node_retried: forget_visit(event, to); break;
    case run_event::kind::output: take_output(event, to); break;
    default: break;
    }
    if (has_whole_state(event)) take_state(event, to);
}

bool agent_story::takes_piece(const run_event& event)
{
    if (event.what != run_event::kind::output || event.text.empty() || !is_of_current(event) || !is_said(event.label))
        return false;
    current_->bytes += event.text.size();
    return true;
}

bool agent_story::is_of_current(const run_event& event) const noexcept
{
    return current_ && current_->is_open && event.node.data() == current_visit_.node.data() &&
           event.visit == current_visit_.visit && event.address == current_visit_.address &&
           event.address_visits == current_visit_.address_visits;
}

void agent_story::take_output(const run_event& event, std::vector<story_item>& to)
{
    if (is_said(event.label)) take_text(event, to);
    else if (event.label == agent_event::retract) forget_visit(event, to);
    else if (event.label == agent_event::usage) add_usage(used_, event);
    else if (is_of_call(event.label)) take_call(event, to);
    else to.push_back({item_kind::custom});
}

void agent_story::take_text(const run_event& event, std::vector<story_item>& to)
{
    if (event.text.empty()) return;
    if (!is_of_current(event)) {
        current_id_ = message_id_of(event);
        current_ = &texts_[current_id_];
        current_visit_.node = event.node;
        current_visit_.visit = event.visit;
        current_visit_.address = event.address;
        current_visit_.address_visits = event.address_visits;
    }
    if (!std::exchange(current_->is_open, true)) to.push_back({item_kind::text_start, current_id_});
    current_->bytes += event.text.size();
    has_told_text_ = true;
    to.push_back({item_kind::text_piece});
}

agent_story::told_call& agent_story::call_of(const std::string& id)
{
    const auto [known, is_new] = calls_.try_emplace(id);
    if (is_new) known->second.order = calls_.size();
    return known->second;
}

void agent_story::take_call(const run_event& event, std::vector<story_item>& to)
{
    const value json = emitted_value(event);
    if (!json.is_object()) return;
    const object& told = json.get_object();
    const std::string id{peek_text(told, "id")};
    if (id.empty()) return;
    told_call& call = call_of(id);
    if (!std::exchange(call.is_told, true)) {
        to.push_back({item_kind::call_start, id, std::string{peek_text(told, "name")}});
        call.is_open = true;
    }
    if (event.label == agent_event::tool_end) {
        call.status = peek_text(told, "status");
        tell_content(call, id, told, to);
    }
    if (event.label != agent_event::remote_call) return;
    call.is_remote = true;
    if (!std::exchange(call.is_open, false)) return;
    const value* const arguments = told.if_contains("arguments");
    to.push_back({item_kind::call_args, id, {}, arguments ? boost::json::serialize(*arguments) : std::string{"{}"}});
    to.push_back({item_kind::call_end, id});
}

/** The result that a client gave for a tool of its own: the conversation gets it later, and others watch as well. */
void agent_story::tell_content(told_call& call, const std::string& id, const object& told, std::vector<story_item>& to)
{
    const value* const content = told.if_contains("content");
    if (!content || !content->is_string() || std::exchange(call.has_result, true)) return;
    call.is_answered = true;
    if (std::exchange(call.is_open, false)) to.push_back({item_kind::call_end, id});
    to.push_back({item_kind::call_result, id + "-result", id, std::string{content->get_string()}});
}

void agent_story::take_state(const run_event& event, std::vector<story_item>& to)
{
    const state& after = event.written->state();
    before_ = std::exchange(newest_, after);
    if (!before_) {
        // Before all messages are told anew, none may be open.
        close_texts(to);
        close_calls(to);
        texts_.clear();
        current_ = nullptr;
        to.push_back({item_kind::state});
        if (messages_slot_ != state_layout::none) absorb(after.at(messages_slot_));
        return;
    }
    if (messages_slot_ != state_layout::none) {
        if (std::exchange(tells_again_, false)) {
            tell_again(to);
            absorb(after.at(messages_slot_));
        } else {
            take_messages(before_->at(messages_slot_), after.at(messages_slot_), to);
        }
    }
    to.push_back({item_kind::delta});
}

/** A run that waited goes on: nodes that had not completed begin anew, and say again what they have said. */
void agent_story::go_on(std::vector<story_item>& to)
{
    close_texts(to);
    close_steps(to);
    tells_again_ = newest_ && has_loose_text();
}

bool agent_story::has_loose_text() const noexcept
{
    const auto is_loose = [](const auto& text) { return !text.second.is_kept && text.second.bytes > 0; };
    return std::any_of(texts_.begin(), texts_.end(), is_loose);
}

void agent_story::take_messages(const value_ptr& before, const value_ptr& after, std::vector<story_item>& to)
{
    if (before == after) return;
    const conversation_view now{after};
    const conversation_view then{before};
    if (before && !now.extends(then)) {
        tell_again(to);
        absorb(after);
        return;
    }
    const std::size_t first = then.size();
    for (std::size_t i = first; i < now.size(); ++i) {
        const message& one = now[i];
        const std::string id = now.id_of(i);
        const auto told = texts_.find(id);
        const std::size_t bytes = one.text().size();
        const bool is_streamed = told != texts_.end() && told->second.bytes > 0;
        if (is_streamed && told->second.bytes == bytes) {
            told->second.is_kept = true;
            continue;
        }
        // What was told is not what the conversation has; or the same was told in another place, by a graph within a
        // node. All messages at once put that right, unless another one is being told just now.
        const auto is_open = [](const auto& text) { return text.second.is_open; };
        const bool is_wrong = is_streamed || (one.role == role::assistant && bytes > 0 && has_loose_text());
        if (!is_wrong || std::any_of(texts_.begin(), texts_.end(), is_open)) continue;
        tell_again(to);
        absorb(after);
        return;
    }
    for (std::size_t i = first; i < now.size(); ++i) tell(now[i], now.id_of(i), to);
}

void agent_story::tell(const message& one, std::string id, std::vector<story_item>& to)
{
    if (one.role == role::tool) {
        told_call& call = call_of(one.tool_call_id);
        if (std::exchange(call.is_open, false)) to.push_back({item_kind::call_end, one.tool_call_id});
        call.has_result = true;
        if (std::exchange(call.is_answered, false)) return;
        to.push_back({item_kind::call_result, std::move(id), one.tool_call_id, one.text()});
        return;
    }
    if (std::string thought = one.reasoning(); !thought.empty())
        to.push_back({item_kind::reasoning, id + "-reasoning", {}, std::move(thought)});
    std::string text = one.text();
    if (!texts_.contains(id) && !text.empty()) {
        texts_[id] = told_text{false, true, text.size()};
        has_told_text_ |= one.role == role::assistant;
        to.push_back({item_kind::whole_text, id, std::string{name_of(one.role)}, std::move(text)});
    }
    tell_calls(one, id, to);
}

void agent_story::tell_calls(const message& one, const std::string& id, std::vector<story_item>& to)
{
    for (const tool_call& asked : one.tool_calls) {
        told_call& call = call_of(asked.id);
        const bool is_new = !std::exchange(call.is_told, true);
        call.is_kept = true;
        if (is_new) to.push_back({item_kind::call_start, asked.id, asked.name, id});
        if (!is_new && !call.is_open) continue;
        call.is_open = false;
        to.push_back({item_kind::call_args, asked.id, {}, asked.arguments});
        to.push_back({item_kind::call_end, asked.id});
    }
}

/** What a client knows that got all messages: of the last turn, for the ones before it are over. */
void agent_story::absorb(const value_ptr& conversation)
{
    const conversation_view all{conversation};
    std::size_t first = all.size();
    while (first > 0 && all[first - 1].role != role::user) --first;
    for (std::size_t i = first; i < all.size(); ++i) {
        const message& one = all[i];
        if (one.role == role::tool) call_of(one.tool_call_id).has_result = true;
        else texts_[all.id_of(i)] = told_text{false, true, one.text().size()};
        for (const tool_call& asked : one.tool_calls) {
            told_call& call = call_of(asked.id);
            call.is_told = call.is_kept = true;
        }
    }
}

void agent_story::begin_step(const run_event& event, std::vector<story_item>& to)
{
    std::string name = event.address;
    name.append(name.empty() ? "" : "/").append(event.node);
    const auto is_taken = [&](const std::string& wanted) {
        return std::any_of(steps_.begin(), steps_.end(), [&](const open_step& open) { return open.name == wanted; });
    };
    // Branches may be in one node at the same time, and steps that are open need names of their own.
    if (is_taken(name)) name.append("#").append(std::to_string(event.branch));
    for (int more = 2; is_taken(name); ++more) name.append("#").append(std::to_string(more));
    steps_.push_back({std::string{event.node}, event.address, event.branch, event.visit, name});
    to.push_back({item_kind::step_start, {}, std::move(name)});
}

void agent_story::end_visit(const run_event& event, std::vector<story_item>& to)
{
    const std::string id = message_id_of(event);
    if (const auto text = texts_.find(id); text != texts_.end() && std::exchange(text->second.is_open, false))
        to.push_back({item_kind::text_end, id});
    const auto is_this = [&](const open_step& open) {
        return open.node == event.node && open.branch == event.branch && open.visit == event.visit &&
               open.address == event.address;
    };
    const auto step = std::find_if(steps_.begin(), steps_.end(), is_this);
    if (step == steps_.end()) return;
    to.push_back({item_kind::step_end, {}, std::move(step->name)});
    steps_.erase(step);
}

/** What a visit has said is void: its call of a model, or its node, begins again. */
void agent_story::forget_visit(const run_event& event, std::vector<story_item>& to)
{
    const auto told = texts_.find(message_id_of(event));
    if (told == texts_.end() || told->second.bytes == 0 || told->second.is_kept) return;
    tell_again(to);
}

/** All messages again, without those that the conversation has not. */
void agent_story::tell_again(std::vector<story_item>& to)
{
    close_texts(to);
    close_calls(to);
    std::erase_if(texts_, [](const auto& text) { return !text.second.is_kept; });
    current_ = nullptr;
    if (newest_ && messages_slot_ != state_layout::none) to.push_back({item_kind::messages});
}

void agent_story::close_texts(std::vector<story_item>& to)
{
    for (auto& [id, text] : texts_)
        if (std::exchange(text.is_open, false)) to.push_back({item_kind::text_end, id});
}

/** Calls that no message has yet are told again with it. */
void agent_story::close_calls(std::vector<story_item>& to)
{
    for (auto& [id, call] : calls_) {
        if (std::exchange(call.is_open, false)) to.push_back({item_kind::call_end, id});
        if (!call.is_kept && !call.has_result) call.is_told = false;
    }
}

void agent_story::close_steps(std::vector<story_item>& to)
{
    for (open_step& step : steps_) to.push_back({item_kind::step_end, {}, std::move(step.name)});
    steps_.clear();
}

void agent_story::end(std::vector<story_item>& to)
{
    close_texts(to);
    for (auto& [id, call] : calls_) {
        if (std::exchange(call.is_open, false)) to.push_back({item_kind::call_end, id});
        // A client takes a call without a result for one that it is to carry out.
        if (call.status.empty() || call.is_remote || std::exchange(call.has_result, true)) continue;
        to.push_back({item_kind::call_result, id + "-result", id, call.status});
    }
    close_steps(to);
}

std::vector<std::string> agent_story::pending_calls() const
{
    std::vector<std::pair<std::size_t, std::string>> open;
    for (const auto& [id, call] : calls_)
        if (!call.has_result) open.emplace_back(call.order, id);
    std::sort(open.begin(), open.end());
    std::vector<std::string> ids;
    for (auto& [order, id] : open) ids.push_back(std::move(id));
    return ids;
}

}  // namespace weft::serve_detail
