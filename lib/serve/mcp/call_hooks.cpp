#include "call_hooks.hpp"

#include "call_notes.hpp"
#include "question_forms.hpp"
#include "serve/order/run_orders.hpp"
#include "serve/order/runs.hpp"
#include "serve/wire/run_notes.hpp"

#include <weft/net/server/http_error.hpp>
#include <weft/tool/mcp_tools.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;

/** A run of a session, of the caller's tenant. */
task<std::optional<run_record>> run_of_session(serve_core& core, mcp_caller caller, std::string session, run_id id)
{
    std::optional<run_record> record = co_await core.stores.runs->find_run(id);
    if (!record || record->thread.tenant != tenant_of(caller)) co_return std::nullopt;
    const std::optional<mcp_note> note = mcp_note_of(*record);
    if (!note || note->session != session_digest(session)) co_return std::nullopt;
    co_return record;
}

object said_in(const json_rpc_message& answer)
{
    // A client that could not ask has no answer either.
    if (answer.what() == json_rpc_message::kind::error) return {{"action", "cancel"}};
    if (!answer.value().is_object()) throw http_error{422, "invalid_answer", "result: expected an object"};
    return answer.value().get_object();
}

}  // namespace

task<bool> take_mcp_answer(serve_core& core, mcp_caller caller, json_rpc_message answer)
{
    const auto* const text = answer.id() ? std::get_if<std::string>(&*answer.id()) : nullptr;
    const std::optional<named_question> named = text ? question_named(*text) : std::nullopt;
    if (!named) co_return false;
    // Whichever session, or protocol, has begun it: the question names the run.
    const std::optional<run_record> record = co_await core.stores.runs->find_run(named->run);
    const bool is_of_caller = record && record->thread.tenant == tenant_of(caller);
    if (!is_of_caller || record->phase != run_phase::waiting) co_return false;
    const std::vector<open_question> questions = co_await core.engine.questions(record->thread);
    const auto asked = std::find_if(questions.begin(), questions.end(),
                                    [&](const open_question& each) { return each.address == named->address; });
    // Another client has answered, or the run went another way.
    if (asked == questions.end()) co_return false;
    const object said = said_in(answer);
    form_answer read = read_form(asked->asked, said);
    if (!read.answer) {
        (void)co_await cancel_run(core, *record);
        co_return true;
    }
    run_body body;
    body.assistant = record->graph;
    object answers;
    answers[named->address] = std::move(*read.answer);
    body.resume = value(std::move(answers));
    run_order order = co_await order_in_thread(core, record->thread, std::move(body));
    (void)run_launcher{core}.launch(std::move(order));
    co_return true;
}

task<void> cancel_mcp_call(serve_core& core, mcp_caller caller, std::string session, json_rpc_id id)
{
    object note;
    note["session"] = session_digest(session);
    note["request"] = json_of(id);
    object wanted;
    wanted[run_notes::mcp] = std::move(note);
    run_query query;
    query.tenant = tenant_of(caller);
    query.contains = boost::json::serialize(wanted);
    query.phases = {run_phase::queued, run_phase::ready, run_phase::running, run_phase::waiting};
    query.count_max = 1;  // the client uses an id once
    const run_page page = co_await core.stores.service->runs().search(std::move(query));
    if (page.runs.empty()) co_return;
    const std::optional<run_record> record = co_await core.stores.runs->find_run(page.runs.front().id);
    if (record) (void)co_await cancel_run(core, *record);
}

task<std::optional<json_rpc_message>> revive_mcp_call(serve_core& core, mcp_caller caller, std::string session,
                                                      std::string key)
{
    const std::optional<run_id> id = run_id::parse(key);
    if (!id) co_return std::nullopt;
    const std::optional<run_record> record = co_await run_of_session(core, caller, session, *id);
    const std::optional<mcp_note> note = record ? mcp_note_of(*record) : std::nullopt;
    const std::optional<json_rpc_id> request = note ? json_rpc_id_of(note->request) : std::nullopt;
    if (!request) co_return std::nullopt;
    object params;
    params["name"] = mcp_tool_name({}, record->graph);
    if (!note->progress.is_null()) params["_meta"] = object{{"progressToken", note->progress}};
    co_return json_rpc_message::request(*request, "tools/call", std::move(params));
}

}  // namespace weft::serve_detail
