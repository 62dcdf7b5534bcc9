#include "thread_lookup.hpp"

#include "ag_ui_writer.hpp"
#include "conversation.hpp"
#include "serve/wire/run_notes.hpp"
#include "serve/wire/views.hpp"

#include <weft/base/error.hpp>
#include <weft/tool/call/client_call.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

/** A request is sent again within moments, and few runs stand in line in one thread. */
constexpr std::size_t runs_looked_at = 20;
constexpr std::size_t noted_messages_max = 100;
/** Another answer is asked for to what was said last. */
constexpr std::size_t checkpoints_looked_at = 100;

void add_conversation(known_conversation& to, const value_ptr& messages, std::string_view key)
{
    const conversation_view all{messages, key};
    for (std::size_t i = 0; i < all.size(); ++i) {
        to.messages.insert(all.id_of(i));
        to.last_message = all.id_of(i);
        for (const tool_call& call : all[i].tool_calls) to.calls.insert(call.id);
        if (all[i].role == role::tool) to.answered.insert(all[i].tool_call_id);
    }
}

/** What runs have noted of their requests. */
task<void> read_runs(serve_core& core, const thread_key& thread, const std::string& request, bool has_messages,
                     thread_lookup& to)
{
    run_query query;
    query.tenant = thread.tenant;
    query.thread = thread.thread;
    query.count_max = runs_looked_at;
    const run_page page = co_await core.stores.service->runs().search(std::move(query));
    for (const stored_run& run : page.runs) {
        const object metadata = object_in(run.metadata);
        const value* const noted = metadata.if_contains(run_notes::request);
        if (!noted || !noted->is_object()) continue;
        const value* const id = noted->get_object().if_contains("id");
        if (!to.of_request && id && *id == value(request))
            to.of_request = co_await core.stores.runs->find_run(run.id);
        // A run that is over has brought its messages into the conversation, if there is one.
        if (is_over(run.phase) && (has_messages || run.phase != run_phase::finished)) continue;
        const value* const messages = noted->get_object().if_contains("messages");
        if (!messages || !messages->is_array()) continue;
        for (const value& one : messages->get_array())
            if (one.is_string()) to.conversation.messages.emplace(one.get_string());
    }
}

}  // namespace

task<thread_lookup> look_up(serve_core& core, thread_key thread, std::shared_ptr<const hosted_graph> of,
                            std::string request)
{
    thread_lookup found;
    const std::optional<stored_thread> known = co_await core.stores.service->threads().find(thread);
    if (!known) co_return found;
    const agent_keys_apart apart = keys_apart(*of);
    found.active = co_await core.stores.runs->active_run(thread);
    co_await read_runs(core, thread, request, apart.messages != state_layout::none, found);
    try {
        const thread_snapshot newest = co_await core.engine.read(thread);
        found.values = newest.state();
    } catch (const error& e) {
        if (e.code() != errc::thread_not_found) throw;  // it has no checkpoint yet
    }
    known_conversation& conversation = found.conversation;
    conversation.has_request = found.of_request.has_value();
    if (found.values && apart.messages != state_layout::none) {
        // The thread may be of another graph, with keys of its own.
        const state_layout& keys = found.values->layout();
        const std::string& name = (*of->graph.layout())[apart.messages].name;
        const std::uint32_t slot = keys.find(name);
        if (slot != state_layout::none && has_messages(*keys[slot].type))
            add_conversation(conversation, found.values->at(slot), name);
    }
    if (!found.active) co_return found;
    const bool is_waiting = found.active->phase == run_phase::waiting;
    conversation.run = is_waiting ? known_conversation::run_state::waiting : known_conversation::run_state::under_way;
    if (!is_waiting) co_return found;
    const std::vector<open_question> open = co_await core.engine.questions(thread);
    for (const open_question& question : open) {
        conversation.questions.push_back(question.address);
        const std::optional<tool_call> call = client_call_in(question.asked.about);
        if (call) conversation.client_calls.emplace(call->id, question.address);
    }
    co_return found;
}

task<std::optional<std::int64_t>> checkpoint_before_answer(serve_core& core, thread_key thread,
                                                           std::shared_ptr<const hosted_graph> of, std::string message)
{
    const std::uint32_t slot = keys_apart(*of).messages;
    history_page page;
    page.count_max = checkpoints_looked_at;
    const std::vector<checkpoint_info> infos = co_await core.engine.history(thread, page);
    for (const checkpoint_info& info : infos) {
        const thread_snapshot then = co_await core.engine.read(thread, info.sequence);
        // A checkpoint of another graph, that the thread had before, has keys of its own.
        if (then.state().shared_layout() != of->graph.layout() || !then.is_unfinished()) continue;
        const conversation_view all{then.state().at(slot)};
        if (all.size() > 0 && all.id_of(all.size() - 1) == message) co_return info.sequence;
    }
    co_return std::nullopt;
}

object note_of_request(const std::string& request, const agent_input& input, const std::vector<std::size_t>& added)
{
    array messages;
    // The last ones: a client that sends its request again has these at the end.
    const std::size_t first = added.size() - std::min(added.size(), noted_messages_max);
    for (std::size_t i = first; i < added.size(); ++i)
        messages.push_back(boost::json::string{input.messages[added[i]].id});
    return {{"id", request}, {"messages", std::move(messages)}};
}

}  // namespace weft::serve_detail
