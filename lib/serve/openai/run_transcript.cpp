#include "run_transcript.hpp"

#include "openai_ids.hpp"
#include "serve/state/message_ids.hpp"
#include "spoken_messages.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/graph/node/node.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/graph/state/written_values.hpp>
#include <weft/tool/call/client_call.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include <algorithm>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;
using event_kind = run_event::kind;
using step_kind = said_step::kind;

bool is_said_to_clients(std::string_view label) noexcept
{
    return label == agent_event::output || label == agent_event::message_delta || label == agent_event::delta;
}

/** Whether a node may write a key; one that says nothing of its keys may write any. */
bool may_write(const weft::graph& graph, const graph_node& node, const std::string& key)
{
    const std::uint32_t slot = graph.layout()->find(key);
    if (node.scope && slot != state_layout::none && !node.scope->writable[slot]) return false;
    const auto keys = node.body ? node.body->written_keys(*graph.layout()) : std::nullopt;
    return !keys || std::find(keys->begin(), keys->end(), key) != keys->end();
}

/** The key of a graph within a node whose value becomes that of a key of the outer graph; empty: it is not known. */
std::string inner_key(const subgraph& inner, const std::string& key)
{
    for (const key_mapping& one : inner.outputs)
        if (one.target == key) return one.source;
    return inner.is_mapped() ? std::string{} : key;
}

/** Whether what a node says may be what the graph answers: each node on the way to it, of the graph and of those within
 *  its nodes, may write the key of the answer. A judge within a node that answers may not.
 *  @param path   Names of nodes, joined by `/`. */
bool may_answer(const weft::graph& graph, std::string_view path, const std::string& key)
{
    const std::string_view name = path.substr(0, path.find('/'));
    const node_index index = graph.find(name);
    // A graph that answers with all of its values: each of its nodes may.
    if (index == no_node || key.empty() || graph.layout()->find(key) == state_layout::none) return true;
    const graph_node& node = graph.node(index);
    if (!may_write(graph, node, key)) return false;
    const subgraph* const inner = node.body ? node.body->inner() : nullptr;
    if (!inner || name.size() == path.size()) return true;
    return may_answer(inner->graph, path.substr(name.size() + 1), inner_key(*inner, key));
}

/** A call of a tool of the client, or the call that stands for a question. */
client_call call_for_question(run_id run, const std::string& address, const value& about, const object& arguments)
{
    if (auto call = client_call_in(about))
        return {std::move(call->id), std::move(call->name), std::move(call->arguments)};
    return {question_call_id(run, address), std::string{question_function}, boost::json::serialize(arguments)};
}

}  // namespace

run_transcript::run_transcript(std::shared_ptr<const hosted_graph> graph, std::uint64_t after)
    : graph_{std::move(graph)}, chat_{graph_ ? &graph_->chat : nullptr}, after_{after}
{
}

said_steps run_transcript::take(const run_event& event)
{
    said_steps steps;
    // What came before belongs to an earlier response.
    if (event.id <= after_ || is_past_) return steps;
    if (has_paused_) {
        is_past_ = true;
        return steps;
    }
    run_ = event.run;
    const bool is_own = event.address.empty();
    switch (event.what) {
    case event_kind::run_started:
        if (is_own) take_start(event, steps);
        break;
    case event_kind::output: take_output(event, steps); break;
    case event_kind::state_written:
        if (is_own) take_writes(event, steps);
        break;
    case event_kind::node_succeeded: end_visit(event, steps); break;
    case event_kind::node_retried: drop_visit(event, steps); break;
    case event_kind::question_asked: {
        const value about = event.about ? *event.about : value{};
        object arguments{{"question", event.text}};
        if (event.about) arguments["about"] = about;
        asked_.push_back({event.label, call_for_question(run_, event.label, about, arguments)});
        break;
    }
    case event_kind::question_answered:
        std::erase_if(asked_, [&](const asked& one) { return one.address == event.label; });
        break;
    case event_kind::run_paused:
        if (is_own) has_paused_ = true;
        break;
    case event_kind::run_finished:
        if (is_own) is_cut_ = event.label == run_event::cut_short;
        break;
    default: break;
    }
    return steps;
}

/** A run that its process has lost begins again at its last checkpoint: what was under way is said anew. */
void run_transcript::take_start(const run_event& event, said_steps& steps)
{
    for (const open_visit& visit : open_) drop_item(visit.item, steps);
    open_.clear();
    if (!event.written || !chat_ || knows_before_) return;
    messages_before_ = message_count(event.written->state(), chat_->messages_key());
    knows_before_ = true;
}

bool run_transcript::is_heard(const run_event& event)
{
    if (!graph_) return true;
    std::string path = event.address;
    path.append(path.empty() ? "" : "/").append(event.node);
    // Graphs have few nodes, and each is asked about once.
    for (const auto& [node, heard] : heard_)
        if (node == path) return heard;
    const bool heard = may_answer(graph_->graph, path, chat_->answer_key());
    heard_.emplace_back(std::move(path), heard);
    return heard;
}

std::optional<std::size_t> run_transcript::find_visit(const run_event& event) const
{
    for (std::size_t i = 0; i < open_.size(); ++i) {
        const open_visit& one = open_[i];
        if (one.node == event.node && one.visit == event.visit && one.address == event.address &&
            one.visits == event.address_visits)
            return i;
    }
    return std::nullopt;
}

std::size_t run_transcript::begin_item(std::string message_id, said_steps& steps)
{
    const std::size_t place = items_.size();
    said_item item;
    item.id = "msg_" + message_id;
    const auto same = [&](const said_item& one) { return one.message_id == message_id; };
    // Another attempt of a visit has the same message, and is another item.
    if (message_id.empty() || std::any_of(items_.begin(), items_.end(), same)) item.id += '-' + std::to_string(place);
    item.message_id = std::move(message_id);
    items_.push_back(std::move(item));
    steps.push_back({step_kind::begin, place, {}});
    return place;
}

void run_transcript::end_item(std::size_t item, std::string_view text, said_steps& steps)
{
    if (items_[item].is_done) return;
    if (!text.empty()) items_[item].text = text;
    items_[item].is_done = true;
    steps.push_back({step_kind::end, item, {}});
}

void run_transcript::take_output(const run_event& event, said_steps& steps)
{
    if (event.label == agent_event::usage) {
        try {
            used_ += boost::json::value_to<usage>(parse_json(event.text));
        } catch (const error&) {
            // A node of a program may emit what it likes under any name.
        }
        return;
    }
    if (event.label == agent_event::retract) return drop_visit(event, steps);
    if (!is_said_to_clients(event.label) || event.text.empty() || !is_heard(event)) return;
    std::optional<std::size_t> visit = find_visit(event);
    if (!visit) {
        const std::size_t item = begin_item(message_id_of(event), steps);
        open_.push_back({item, std::string{event.node}, event.visit, event.address, event.address_visits});
        visit = open_.size() - 1;
    }
    const std::size_t item = open_[*visit].item;
    items_[item].text.append(event.text);
    steps.push_back({step_kind::piece, item, event.text});
}

void run_transcript::drop_item(std::size_t item, said_steps& steps)
{
    items_[item].is_void = true;
    items_[item].is_done = true;
    steps.push_back({step_kind::drop, item, {}});
}

void run_transcript::drop_visit(const run_event& event, said_steps& steps)
{
    const std::optional<std::size_t> visit = find_visit(event);
    if (!visit) return;
    drop_item(open_[*visit].item, steps);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(*visit));
}

void run_transcript::end_visit(const run_event& event, said_steps& steps)
{
    const std::optional<std::size_t> visit = find_visit(event);
    if (!visit) return;
    end_item(open_[*visit].item, {}, steps);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(*visit));
}

void run_transcript::take_writes(const run_event& event, said_steps& steps)
{
    if (!chat_ || chat_->messages_key().empty() || !event.written) return;
    const std::uint32_t slot = event.written->state().layout().find(chat_->messages_key());
    for (const state_write& write : event.written->items())
        // A list that is written over has old messages, too: what is new of it is found at the end.
        if (write.slot == slot && write.value && !write.is_overwrite)
            for_each_message(*write.value, 0, [&](const message& one) { take_message(one, steps); });
}

/** A message that the state has: what was heard of it piece by piece, or a new one. */
void run_transcript::take_message(const message& one, said_steps& steps)
{
    if (one.role == role::tool)
        std::erase_if(open_calls_, [&](const tool_call& call) { return call.id == one.tool_call_id; });
    else
        open_calls_ = one.tool_calls;
    if (one.role != role::assistant) return;
    const std::string text = one.text();
    if (text.empty()) return;
    const auto is_it = [&](const said_item& item) {
        return !item.is_void && !item.is_in_state && (item.message_id == one.id || item.text == text);
    };
    // Written by a node and seen again at the end.
    const auto known = [&](const said_item& item) { return item.is_in_state && item.message_id == one.id; };
    if (!one.id.empty() && std::any_of(items_.begin(), items_.end(), known)) return;
    auto found = std::find_if(items_.begin(), items_.end(), is_it);
    if (found == items_.end()) {
        const std::size_t item = begin_item(one.id, steps);
        items_[item].text = text;
        steps.push_back({step_kind::piece, item, {}});
        found = items_.begin() + static_cast<std::ptrdiff_t>(item);
    }
    found->is_in_state = true;
    found->message_id = one.id;
    end_item(static_cast<std::size_t>(found - items_.begin()), text, steps);
}

void run_transcript::finish_messages(const state& values, said_steps& steps)
{
    if (!chat_->messages_key().empty()) {
        const std::vector<message> all =
            knows_before_ ? messages_from(values, chat_->messages_key(), messages_before_) : chat_->added(values);
        for (const message& one : all) take_message(one, steps);
        return;
    }
    const bool has_said = std::any_of(items_.begin(), items_.end(), [](const auto& item) { return !item.is_void; });
    if (has_said) return;
    const std::string text = chat_->answer(values);
    if (text.empty()) return;
    const std::size_t item = begin_item(run_.text(), steps);
    items_[item].text = text;
    steps.push_back({step_kind::piece, item, {}});
    end_item(item, text, steps);
}

void run_transcript::ask_for(const run_ending& ending)
{
    for (const open_question& one : ending.questions)
        calls_.push_back(call_for_question(run_, one.address, one.asked.about, question_arguments(one.asked)));
    // Of a response that was answered since, the event is all that is left of the question.
    if (ending.questions.empty() && ending.phase == run_phase::waiting)
        for (const asked& one : asked_) calls_.push_back(one.call);
    // The node that asks for results of the client's tools carries the other calls of its message out.
    const auto is_of_client = [](const client_call& one) { return one.name != question_function; };
    if (std::any_of(calls_.begin(), calls_.end(), is_of_client)) return;
    // Of a run that ended elsewhere the values may not be here.
    if (ending.values && chat_) open_calls_ = open_calls(*ending.values, chat_->messages_key());
    for (const tool_call& call : open_calls_)
        calls_.push_back({call.id, call.name, call.arguments.empty() ? std::string{"{}"} : call.arguments});
}

said_steps run_transcript::finish(const run_ending& ending)
{
    said_steps steps;
    // A node that was cut short has said what it has said.
    for (const open_visit& visit : open_) end_item(visit.item, {}, steps);
    open_.clear();
    const bool has_come_to_rest = ending.phase == run_phase::finished || ending.phase == run_phase::waiting;
    // A graph without a conversation that waits has not answered yet.
    const bool has_answer = ending.phase == run_phase::finished || (chat_ && !chat_->messages_key().empty());
    if (ending.values && chat_ && has_come_to_rest && has_answer) finish_messages(*ending.values, steps);
    if (has_come_to_rest) ask_for(ending);
    return steps;
}

std::string run_transcript::text() const
{
    std::string result;
    for (const said_item& item : items_)
        if (!item.is_void) result.append(result.empty() ? "" : "\n\n").append(item.text);
    return result;
}

const question* question_for_person(const run_ending& ending)
{
    for (const open_question& one : ending.questions)
        if (!client_call_in(one.asked.about)) return &one.asked;
    return nullptr;
}

object question_arguments(const question& asked)
{
    object result;
    result["question"] = asked.text;
    if (!asked.help.empty()) result["help"] = asked.help;
    if (!asked.about.is_null()) result["about"] = asked.about;
    result["answer_schema"] = asked.answer_schema();
    return result;
}

}  // namespace weft::serve_detail
