#include "graph_call.hpp"

#include "call_notes.hpp"
#include "graph_tools.hpp"
#include "question_forms.hpp"
#include "serve/http/refusal.hpp"
#include "serve/order/run_orders.hpp"
#include "serve/order/runs.hpp"
#include "serve/run/open_stream.hpp"
#include "serve/state/state_wire.hpp"
#include "serve/wire/run_notes.hpp"

#include <weft/async/sleep.hpp>
#include <weft/async/wait/on_behalf_of.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/tool/mcp_server/mcp_refusals.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;

/** How often the store is asked whether a question has been answered. */
constexpr std::chrono::milliseconds answer_look{200};
constexpr const char* thread_meta = "weft/thread_id";
constexpr const char* run_meta = "weft/run_id";

[[noreturn]] void refuse_call(std::string why)
{
    throw mcp_rejection{json_rpc_code::invalid_params, std::move(why)};
}

/** The trace that a client's call belongs to; null: none. */
std::shared_ptr<const trace_context> trace_of_call(const object& params)
{
    const object* const meta = peek_object(params, "_meta");
    if (!meta) return nullptr;
    auto read = trace_context::read(peek_text(*meta, "traceparent"), peek_text(*meta, "tracestate"));
    return read ? std::make_shared<const trace_context>(std::move(*read)) : nullptr;
}

std::string thread_wanted(const object& params)
{
    const object* const meta = peek_object(params, "_meta");
    return meta ? std::string{peek_text(*meta, thread_meta)} : std::string{};
}

value progress_token_of(const object& params)
{
    const object* const meta = peek_object(params, "_meta");
    const value* const token = meta ? peek_member(*meta, "progressToken") : nullptr;
    return token ? *token : value(nullptr);
}

/** What a mark says: the event that the client has, and how many questions behind it. */
struct read_mark {
    std::uint64_t event = 0;
    std::size_t questions = 0;
};
read_mark mark_of(std::string_view text)
{
    read_mark mark;
    const char* const end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data(), end, mark.event);
    if (code == std::errc{} && rest != end && *rest == 'q') std::from_chars(rest + 1, end, mark.questions);
    return mark;
}

object elicitation_of(const question& asked)
{
    std::string message = asked.text;
    if (!asked.help.empty()) message.append("\n\n").append(asked.help);
    return {{"message", message}, {"requestedSchema", form_of(asked)}};
}

/** A run that a drain has given back. Over a session its client comes back, to the next life of the server. */
[[noreturn]] void leave_run(const mcp_server_context& context, const std::string& thread)
{
    if (context.client().era == mcp_era::legacy) throw error{errc::cancelled};
    throw mcp_rejection{json_rpc_code::internal_error,
                        "draining: the server ends; the run goes on in thread " + thread};
}

}  // namespace

graph_call::graph_call(serve_core& core, mcp_server_context& context, std::shared_ptr<const hosted_graph> graph)
    : core_{core}, context_{context}, graph_{std::move(graph)}, tenant_{tenant_of(context.caller())}
{
}

graph_call::~graph_call()
{
    // Not here: what is awaited in the stopped scope of a call that was cancelled ends at once.
    const bool is_left = run_ && !has_ended_ && context_.is_cancelled_by_client();
    if (is_left && core_.background) core_.background->spawn(stop_run_of_client(core_, *run_));
}

task<mcp_call_result> graph_call::carry_out(object arguments)
{
    const value* const state = peek_member(context_.params(), "requestState");
    run_follower follower;
    if (!context_.resumed_key().empty()) follower = co_await come_back();
    else if (state) follower = co_await answer(std::string{peek_text(state)});
    else follower = co_await begin(std::move(arguments));
    mcp_call_result result = co_await follow_to_end(std::move(follower));
    has_ended_ = true;
    co_return with_ids(std::move(result));
}

task<run_follower> graph_call::begin(object arguments)
{
    run_body body;
    body.assistant = graph_->graph.name();
    body.input = std::move(arguments);
    body.keeps_thread = true;  // for what other clients want to see of it
    mcp_note note;
    note.session = session_digest(context_.session());
    note.request = json_of(context_.id());
    note.progress = progress_token_of(context_.params());
    body.metadata[run_notes::mcp] = note_json(note);
    const std::string wanted = thread_wanted(context_.params());
    run_order order;
    if (wanted.empty()) {
        order = co_await order_alone(core_, tenant_, std::move(body), true);
    } else {
        body.makes_thread = true;
        order = co_await order_in_thread(core_, thread_key{wanted, tenant_}, std::move(body));
    }
    order.trace = trace_of_call(context_.params());
    thread_ = *order.thread;
    const run_id id = order.id;
    run_follower follower;
    follower.thread = thread_;
    follower.feed = run_launcher{core_}.launch(std::move(order));
    run_ = id;
    context_.name_stream(id.text());  // by which another process finds the call
    teller_.emplace(context_, 0);
    (void)co_await wait_for_entry(core_, follower.feed);
    co_return follower;
}

task<run_follower> graph_call::come_back()
{
    const std::optional<run_id> id = run_id::parse(context_.resumed_key());
    std::optional<run_record> record;
    if (id) record = co_await core_.stores.runs->find_run(*id);
    // Runs of other tenants are not there.
    if (!record || record->thread.tenant != tenant_) refuse_call("the run is gone");
    thread_ = record->thread;
    run_ = record->id;
    const read_mark mark = mark_of(context_.resumed_behind());
    asked_before_ = mark.questions;
    teller_.emplace(context_, mark.event);
    co_return co_await join_run(core_, std::move(*record));
}

/** Goes on with the run of a request that is made again, with answers. */
task<run_follower> graph_call::answer(std::string state)
{
    const std::optional<run_id> id = run_id::parse(state);
    std::optional<run_record> record;
    if (id) record = co_await core_.stores.runs->find_run(*id);
    if (!record || record->thread.tenant != tenant_) refuse_call("params.requestState: there is no such run");
    thread_ = record->thread;
    run_ = record->id;
    const object* const given = peek_object(context_.params(), "inputResponses");
    run_follower follower;
    if (given && !given->empty()) {
        run_order order = co_await answering_order(*given);
        follower.thread = thread_;
        // What the run told before it asked is known to the client.
        if (const auto before = core_.feeds.find(record->id)) follower.after = before->last_id();
        follower.feed = run_launcher{core_}.launch(std::move(order));
    } else {
        follower = co_await join_run(core_, std::move(*record));
    }
    teller_.emplace(context_, follower.after);
    co_return follower;
}

task<run_order> graph_call::answering_order(object responses)
{
    const std::vector<open_question> questions = co_await core_.engine.questions(thread_);
    object answers;
    for (const auto& [address, said] : responses) {
        const auto asked = std::find_if(questions.begin(), questions.end(), [&address = address](const auto& each) {
            return each.address == std::string_view{address};
        });
        const std::string where = "params.inputResponses." + std::string{address};
        if (asked == questions.end()) refuse_call("stale_answer: " + where + ": no such question of the run is open");
        if (!said.is_object()) refuse_call(where + ": expected an object");
        form_answer read = read_form(asked->asked, said.get_object());
        if (!read.answer) {
            const std::optional<run_record> record = co_await core_.stores.runs->find_run(*run_);
            if (record) (void)co_await cancel_run(core_, *record);
            throw http_error{409, "declined", "the question was declined, and the run is cancelled"};
        }
        answers[address] = std::move(*read.answer);
    }
    run_body body;
    body.assistant = graph_->graph.name();
    body.resume = value(std::move(answers));
    co_return co_await order_in_thread(core_, thread_, std::move(body));
}

/** To the end of the run, or to where it waits. */
task<run_ending> graph_call::follow(run_follower& follower)
{
    const open_stream counted{core_, "mcp"};
    feed_reader reader{follower.feed, follower.after};
    for (;;) {
        while (const std::shared_ptr<const feed_event> event = reader.next()) teller_->tell(*event);
        if (reader.is_at_end()) break;
        co_await wait_for_more(core_, reader, follower);
    }
    follower.after = std::max(follower.after, follower.feed->last_id());
    if (follower.feed->ending()->is_given_back) leave_run(context_, thread_.thread);
    run_ending ending = co_await wait_for_end(core_, follower);
    co_return ending;
}

task<mcp_call_result> graph_call::follow_to_end(run_follower follower)
{
    for (;;) {
        const run_ending ending = co_await follow(follower);
        if (ending.phase != run_phase::waiting) co_return outcome_of(ending);
        const std::vector<open_question> questions = co_await core_.engine.questions(thread_);
        if (std::optional<mcp_call_result> instead = ask(questions, follower.after)) co_return std::move(*instead);
        co_await wait_for_answer();
        const std::optional<run_record> record = co_await core_.stores.runs->find_run(*run_);
        if (!record) co_return mcp_call_result::error("the run was deleted");
        // What this loop knows may be that the run waits; it went on, or was cancelled, elsewhere.
        const std::optional<run_ending>& known = follower.feed->ending();
        const bool is_old = known && known->phase == run_phase::waiting && record->phase != run_phase::waiting;
        if (is_old) core_.feeds.forget(*run_);
        const std::uint64_t seen = follower.after;
        follower = co_await join_run(core_, *record);
        follower.after = seen;
    }
}

/** Asks the client what the run waits for.
 *  @return   What to say in the place of a question: the client cannot ask. */
std::optional<mcp_call_result> graph_call::ask(const std::vector<open_question>& questions, std::uint64_t last_event)
{
    // The run waits on; to give the call up is not to cancel it.
    if (questions.empty() || !context_.client().elicits()) {
        has_ended_ = true;
        return question_text(questions);
    }
    if (context_.client().era == mcp_era::modern) {
        has_ended_ = true;
        mcp_input_required wanted;
        for (const open_question& each : questions)
            wanted.requests[each.address] =
                object{{"method", "elicitation/create"}, {"params", elicitation_of(each.asked)}};
        // No secret: it leads to nothing but threads of the caller's tenant, and to questions that are still open.
        wanted.state = run_->text();
        throw wanted;
    }
    std::size_t number = 0;
    for (const open_question& each : questions) {
        ++number;
        const bool is_known = number <= asked_before_;
        if (!asked_.insert(each.address).second || is_known) continue;
        context_.mark(std::to_string(last_event) + "q" + std::to_string(number));
        context_.send_request(question_id(*run_, each.address), "elicitation/create", elicitation_of(each.asked));
    }
    asked_before_ = 0;
    return std::nullopt;
}

/** Until the run goes on: an answer came over any protocol. Over MCP, `take_mcp_answer` takes it. */
task<void> graph_call::wait_for_answer()
{
    for (;;) {
        co_await sleep_for(answer_look);
        if (core_.is_draining) leave_run(context_, thread_.thread);
        const std::optional<run_record> record = co_await core_.stores.runs->find_run(*run_);
        if (!record || record->phase != run_phase::waiting) co_return;
        const std::vector<open_question> open = co_await core_.engine.questions(thread_);
        const auto is_open = [&open](const std::string& address) {
            return std::any_of(open.begin(), open.end(), [&](const auto& each) { return each.address == address; });
        };
        if (!std::all_of(asked_.begin(), asked_.end(), is_open)) break;
    }
    // What was answered may be asked again under its address, after a retry.
    asked_.clear();
}

mcp_call_result graph_call::outcome_of(const run_ending& ending) const
{
    if (ending.phase == run_phase::cancelled) return mcp_call_result::error("the run was cancelled");
    if (is_told_as_error(ending))
        return mcp_call_result::error(ending.message.empty() ? ending.error : ending.message);
    // Forgotten with its thread, by another client, in the moment that it ended.
    if (!ending.values) return mcp_call_result::of_text("done");
    const chat_graph& chat = graph_->chat;
    mcp_call_result result = mcp_call_result::of_text(chat.answer(*ending.values));
    object values = values_for_client(*ending.values);
    // A conversation is what led to the answer; a model that reads all of it again pays for it.
    const state_layout& layout = ending.values->layout();
    for (std::uint32_t slot = 0; slot < layout.size(); ++slot)
        if (has_messages(*layout[slot].type)) values.erase(layout[slot].name);
    if (!values.empty()) result.structured = std::move(values);
    if (!ending.error.empty()) {
        result = mcp_call_result::error(ending.message.empty() ? ending.error : ending.message);
    }
    return result;
}

mcp_call_result graph_call::question_text(const std::vector<open_question>& questions) const
{
    std::string text = "The run waits for an answer, and the client cannot ask for it. ";
    for (const open_question& each : questions)
        text.append("Question ").append(each.address).append(": ").append(each.asked.text).append(" ");
    if (questions.empty()) text.append("It waits for results of tools that its caller carries out. ");
    text.append("Answer it in thread ").append(thread_.thread).append(", run ").append(run_->text()).append(".");
    return mcp_call_result::error(std::move(text));
}

mcp_call_result graph_call::with_ids(mcp_call_result result) const
{
    result.meta[thread_meta] = thread_.thread;
    result.meta[run_meta] = run_->text();
    return result;
}

task<std::optional<mcp_call_result>> call_graph(serve_core& core, mcp_server_context& context, std::string tool,
                                                object arguments)
{
    std::shared_ptr<const hosted_graph> graph = graph_of_tool(core, tool);
    if (!graph) co_return std::nullopt;
    graph_call call{core, context, std::move(graph)};
    const mcp_caller& caller = context.caller();
    const std::string tenant = tenant_of(caller);
    // A server carries calls out in a scope of its own, which is of no request.
    on_behalf_of carried_out{call.carry_out(std::move(arguments)), caller.context ? &tenant : nullptr};
    std::exception_ptr failure;
    try {
        mcp_call_result result = co_await carried_out;
        co_return std::optional<mcp_call_result>{std::move(result)};
    } catch (const mcp_rejection&) {
        throw;
    } catch (const mcp_input_required&) {
        throw;
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
        failure = std::current_exception();
    } catch (...) {
        failure = std::current_exception();
    }
    // A tool's failure is for the model to read, in the words that any client of the server would get.
    const refusal why = refusal_for(failure);
    if (why.is_of_server) core.tell_error("tool " + tool, text_of(failure));
    constexpr std::string_view input = "body.input";
    const bool is_about_input = why.message.starts_with(input);
    co_return mcp_call_result::error(is_about_input ? "arguments" + why.message.substr(input.size()) : why.message);
}

}  // namespace weft::serve_detail
