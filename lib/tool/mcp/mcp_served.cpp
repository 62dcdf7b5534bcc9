#include "mcp_served.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>

#include <optional>
#include <utility>

namespace weft::mcp_detail {

namespace {

using boost::json::object;
using boost::json::value;

json_rpc_message refusal_of(const json_rpc_id& id, std::int64_t code, std::string message)
{
    json_rpc_error why;
    why.code = code;
    why.message = std::move(message);
    return json_rpc_message::error(id, std::move(why));
}

/** What came of a handler; it runs as a child and outlives no one. */
struct handled {
    std::optional<value> result;
    std::optional<error> failure;
};

task<void> run_handler(task<value> work, handled& outcome)
{
    try {
        value result = co_await std::move(work);
        outcome.result.emplace(std::move(result));
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
        outcome.failure = e;
    } catch (const std::exception& e) {
        outcome.failure.emplace(errc::node_failed, std::string{}, e.what());
    }
}

/** A request that the server may cancel, for as long as it runs. */
class running_entry {
public:
    running_entry(std::map<json_rpc_id, scope*>& all, const json_rpc_id& id, scope& work)
        : all_{all}, at_{all.emplace(id, &work)}
    {
    }
    ~running_entry()
    {
        if (at_.second) all_.erase(at_.first);
    }
    running_entry(const running_entry&) = delete;
    running_entry& operator=(const running_entry&) = delete;

    [[nodiscard]] bool is_new() const noexcept { return at_.second; }

private:
    std::map<json_rpc_id, scope*>& all_;
    std::pair<std::map<json_rpc_id, scope*>::iterator, bool> at_;
};

}  // namespace

object served_requests::capabilities() const
{
    object can;
    if (options_.on_roots) can["roots"] = object{};
    if (options_.on_sampling) can["sampling"] = object{};
    if (options_.on_elicitation) can["elicitation"] = object{};
    return can;
}

task<value> served_requests::handle(std::string method, object params)
{
    const mcp_client_options::request_handler* handler = nullptr;
    if (method == "roots/list") handler = &options_.on_roots;
    if (method == "sampling/createMessage") handler = &options_.on_sampling;
    if (method == "elicitation/create") handler = &options_.on_elicitation;
    if (!handler || !*handler)
        throw error{errc::mcp_unsupported, method, "the client has no handler for this; set one in its options"};
    if (method == "elicitation/create" && peek_text(params, "mode") == "url")
        throw error{errc::mcp_unsupported, method, "the client elicits with forms only"};
    value result = co_await (*handler)(std::move(params));
    co_return result;
}

task<json_rpc_message> served_requests::answer(json_rpc_message request)
{
    const json_rpc_id id = *request.id();
    if (request.method() == "ping") co_return json_rpc_message::result(id, object{});
    if (is_full()) co_return refusal_of(id, json_rpc_code::internal_error, "too many requests at once");
    handled outcome;
    const task_context& context = co_await this_task::context();
    scope work{context};
    const running_entry entry{running_, id, work};
    if (!entry.is_new()) co_return refusal_of(id, json_rpc_code::invalid_request, "a request with this id is running");
    task<value> handling = handle(request.method(), request.params());
    work.spawn(run_handler(std::move(handling), outcome));
    co_await work.join();
    if (outcome.result) co_return json_rpc_message::result(id, std::move(*outcome.result));
    if (!outcome.failure) throw error{errc::cancelled, request.method(), "the server cancelled its request"};
    const bool is_unknown = outcome.failure->code() == errc::mcp_unsupported;
    co_return refusal_of(id, is_unknown ? json_rpc_code::method_not_found : json_rpc_code::internal_error,
                         is_unknown ? "Method not found" : outcome.failure->what());
}

void served_requests::cancel(const json_rpc_id& id)
{
    if (const auto found = running_.find(id); found != running_.end()) found->second->request_stop();
}

}  // namespace weft::mcp_detail
