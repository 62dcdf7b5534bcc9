#include "mcp_core.hpp"

#include "mcp_methods.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/base/system/random_secret.hpp>

#include <boost/assert.hpp>

#include <array>
#include <utility>

namespace weft::mcp_detail {

using boost::json::object;
using boost::json::value;

/** What became of a call; it runs as a child and does not outlive its parent. */
struct mcp_core::outcome {
    std::optional<json_rpc_message> answer{};
};

mcp_core::mcp_core(mcp_server_options given)
    : options{std::move(given)}, sessions{options},
      states{options.secret.empty() ? secret_string{random_secret()} : options.secret}
{
}

void mcp_core::bind(serial_loop& loop)
{
    if (!context_.loop) {
        context_.loop = &loop;
        children_.emplace(context_, failure_policy::keep_going);
    }
    BOOST_ASSERT_MSG(context_.loop == &loop, "an MCP server lives on the loop of its first call");
}

void mcp_core::tell_error(std::string_view where, std::string_view what) const
{
    if (options.on_error) options.on_error(where, what);
}

object mcp_core::identity() const
{
    return {{"name", options.identity.name}, {"version", options.identity.version}};
}

object mcp_core::capabilities() const
{
    object can;
    const object changing{{"listChanged", true}};
    if (!offer.tools().empty() || options.source.list) can["tools"] = changing;
    if (!offer.resources().empty() || !offer.templates().empty())
        can["resources"] = object{{"subscribe", true}, {"listChanged", true}};
    if (!offer.prompts().empty()) can["prompts"] = changing;
    if (options.complete) can["completions"] = object{};
    can["logging"] = object{};  // any function may say something
    return can;
}

/** What each result of the modern era says beside what was asked. */
object mcp_core::decorated(object result, const served_call& call) const
{
    if (!call.is_modern()) return result;
    if (!result.contains("resultType")) result["resultType"] = "complete";
    value& meta = result["_meta"];
    if (!meta.is_object()) meta = object{};  // what a tool has put there stays
    meta.get_object()["io.modelcontextprotocol/serverInfo"] = identity();
    return result;
}

namespace {

/** Subscriptions last as long as their clients, and have a bound of their own. */
bool counts_as_running(const served_call& call) { return call.request().method() != "subscriptions/listen"; }

json_rpc_message refusal_for_client(const json_rpc_id& id, std::int64_t code, std::string message)
{
    return json_rpc_message::error(id, json_rpc_error{code, std::move(message), nullptr});
}

}  // namespace

std::shared_ptr<served_call> mcp_core::begin(json_rpc_message request, served_call::origin from)
{
    auto call = std::make_shared<served_call>(*this, std::move(request), std::move(from));
    // The task refers to the call, which `run` keeps.
    return spawn(call, answer_method(*this, *call));
}

std::shared_ptr<served_call> mcp_core::spawn(std::shared_ptr<served_call> call, std::optional<handler> work)
{
    const json_rpc_id& id = *call->request().id();
    if (counts_as_running(*call) && running_ >= options.running_max) {
        call->out().finish(refusal_for_client(id, json_rpc_code::internal_error,
                                              "too many requests at once; try again later"));
        return nullptr;
    }
    server_session* const session = call->session();
    if (session && !session->running.emplace(id, call.get()).second) {
        call->out().finish(
            refusal_for_client(id, json_rpc_code::invalid_request, "a request of this id is under way"));
        return nullptr;
    }
    if (counts_as_running(*call)) ++running_;
    children_->spawn(run(*this, call, std::move(*work)));
    return call;
}

void mcp_core::end_running(served_call& call)
{
    if (counts_as_running(call)) --running_;
    server_session* const session = call.session();
    if (!session) return;
    const auto mine = session->running.find(*call.request().id());
    if (mine != session->running.end() && mine->second == &call) session->running.erase(mine);
}

task<void> mcp_core::run(mcp_core& self, std::shared_ptr<served_call> call, handler work)
{
    struct running_end {
        mcp_core& self;
        served_call& call;
        ~running_end() { self.end_running(call); }
    } const end{self, *call};
    outcome done;
    {
        const task_context& context = co_await this_task::context();
        scope carrying{context};
        call->works_in(&carrying);
        if (!call->is_stopped()) carrying.spawn(carry_out(self, *call, std::move(work), done));
        co_await carrying.join();
        call->works_in(nullptr);  // a late word of the client finds nothing to stop
    }
    // A client that has cancelled gets no answer.
    if (done.answer && !call->is_cancelled()) call->out().finish(*done.answer);
    else call->out().abort();
}

task<void> mcp_core::carry_out(mcp_core& self, served_call& call, handler work, outcome& into)
{
    const json_rpc_id& id = *call.request().id();
    std::string failure;
    try {
        object result = co_await std::move(work);
        into.answer = json_rpc_message::result(id, self.decorated(std::move(result), call));
    } catch (const mcp_rejection& refused) {
        into.answer = json_rpc_message::error(id, refused.why());
    } catch (mcp_input_required& wanted) {
        object result{{"resultType", "input_required"}, {"inputRequests", std::move(wanted.requests)}};
        if (!wanted.state.empty()) result["requestState"] = wanted.state;
        into.answer = json_rpc_message::result(id, self.decorated(std::move(result), call));
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
        failure = e.what();
    } catch (const std::exception& e) {
        failure = e.what();
    }
    // What went wrong inside is for the log of the server; tools answer for their own failures.
    if (failure.empty()) co_return;
    self.tell_error(call.request().method(), failure);
    into.answer = refusal_for_client(id, json_rpc_code::internal_error, "Internal error");
}

task<bool> mcp_core::take(std::shared_ptr<server_session> session, json_rpc_message message)
{
    if (message.is_answer()) {
        if (!message.id()) co_return false;
        const auto* const number = std::get_if<std::int64_t>(&*message.id());
        // Ids of this object are numbers; another process, which the client cannot tell from it, may use texts.
        if (number && session->asked.is_open(*number)) co_return session->asked.settle(std::move(message));
        if (!options.on_answer) co_return false;
        co_return co_await options.on_answer(session->caller, session->id, std::move(message));
    }
    // What else clients tell, as that their roots have changed, is of use to no function here.
    if (message.method() != "notifications/cancelled") co_return true;
    const value* const named = peek_member(message.params(), "requestId");
    const std::optional<json_rpc_id> id = named ? json_rpc_id_of(*named) : std::nullopt;
    if (!id) co_return true;
    const auto found = session->running.find(*id);
    if (found != session->running.end()) found->second->cancel();
    else if (options.on_cancel) co_await options.on_cancel(session->caller, session->id, *id);
    co_return true;
}

void mcp_core::tell_list_changed(mcp_list which)
{
    constexpr std::array<const char*, 3> names{"tools", "resources", "prompts"};  // as in `mcp_list`
    const std::string method = "notifications/" + std::string{names[static_cast<std::size_t>(which)]} + "/list_changed";
    for (const auto& [id, session] : sessions.all())
        if (session->standalone)
            session->standalone->send(json_rpc_message::notification(method, {}).text(), {}, true);
    for (const server_listener& each : listeners) {
        const std::array<bool, 3> wants{each.tools, each.resources, each.prompts};
        if (!wants[static_cast<std::size_t>(which)]) continue;
        object params;
        params["_meta"] = object{{"io.modelcontextprotocol/subscriptionId", each.id}};
        each.out->send(json_rpc_message::notification(method, std::move(params)).text(), {}, true);
    }
}

void mcp_core::tell_resource_updated(std::string_view uri)
{
    for (const auto& [id, session] : sessions.all()) {
        if (!session->standalone || !session->subscriptions.contains(uri)) continue;
        object params{{"uri", uri}};
        session->standalone->send(
            json_rpc_message::notification("notifications/resources/updated", std::move(params)).text(), {}, true);
    }
    for (const server_listener& each : listeners) {
        if (!each.uris.contains(uri)) continue;
        object params{{"uri", uri}, {"_meta", object{{"io.modelcontextprotocol/subscriptionId", each.id}}}};
        each.out->send(json_rpc_message::notification("notifications/resources/updated", std::move(params)).text(), {},
                       true);
    }
}

}  // namespace weft::mcp_detail
