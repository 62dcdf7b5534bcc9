#include <weft/tool/mcp_server/mcp_server_context.hpp>

#include "served_call.hpp"

#include <utility>

namespace weft {

const mcp_peer& mcp_server_context::client() const noexcept { return call_.client(); }
const mcp_caller& mcp_server_context::caller() const noexcept { return call_.caller(); }
const boost::json::object& mcp_server_context::params() const noexcept { return call_.request().params(); }
const json_rpc_id& mcp_server_context::id() const noexcept { return *call_.request().id(); }

const std::string& mcp_server_context::session() const noexcept
{
    static const std::string none;
    return call_.session() ? call_.session()->id : none;
}

bool mcp_server_context::wants_progress() const noexcept { return call_.wants_progress(); }

void mcp_server_context::progress(double done, std::optional<double> total, std::string_view message)
{
    call_.progress(done, total, message);
}

void mcp_server_context::log(std::string_view level, boost::json::value data, std::string_view logger)
{
    call_.log(level, std::move(data), logger);
}

task<boost::json::object> mcp_server_context::ask(std::string method, boost::json::object params, std::string name)
{
    return call_.ask(std::move(method), std::move(params), std::move(name));
}

task<boost::json::object> mcp_server_context::ask_all(boost::json::object questions)
{
    return call_.ask_all(std::move(questions));
}

task<boost::json::object> mcp_server_context::elicit(std::string message, boost::json::object schema, std::string name)
{
    boost::json::object params{{"message", message}, {"requestedSchema", std::move(schema)}};
    return call_.ask("elicitation/create", std::move(params), std::move(name));
}

const std::string& mcp_server_context::resumed_key() const noexcept { return call_.from().resumed_key; }
const std::string& mcp_server_context::resumed_behind() const noexcept { return call_.from().resumed_behind; }
void mcp_server_context::close_connection() { call_.out().close_connection(); }
void mcp_server_context::name_stream(std::string key) { call_.out().name(std::move(key)); }
void mcp_server_context::mark(std::string mark) { call_.mark(std::move(mark)); }

void mcp_server_context::send_request(std::string id, std::string method, boost::json::object params)
{
    call_.send(json_rpc_message::request(json_rpc_id{std::move(id)}, std::move(method), std::move(params)), false);
}

bool mcp_server_context::is_cancelled_by_client() const noexcept { return call_.is_cancelled(); }

}  // namespace weft
