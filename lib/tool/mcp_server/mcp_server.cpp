#include <weft/tool/mcp_server.hpp>

#include "mcp_core.hpp"
#include "mcp_http.hpp"
#include "mcp_methods.hpp"

#include <csignal>
#include <limits>
#include <utility>

#include <unistd.h>

namespace weft {

mcp_server::mcp_server(mcp_server_options options)
    : core_{std::make_shared<mcp_detail::mcp_core>(std::move(options))}
{
}

mcp_server::~mcp_server() = default;

std::vector<std::string_view> mcp_server::methods() const { return mcp_detail::method_names(*core_); }

tool_runner_options mcp_server::runner_defaults()
{
    tool_runner_options options;
    // A client gets what the tool said: what its model may read is its own affair.
    options.neutralises_results = false;
    options.result_chars_max = std::numeric_limits<std::size_t>::max();
    options.once = false;  // there is no run that could be resumed
    return options;
}

mcp_server& mcp_server::add_tools(tool_set tools, tool_runner_options runner)
{
    core_->offer.add(std::move(tools), std::move(runner));
    return *this;
}

mcp_server& mcp_server::add_tool(mcp_tool definition, tool_function function)
{
    core_->offer.add(std::move(definition), std::move(function));
    return *this;
}

mcp_server& mcp_server::add_resource(mcp_resource definition, resource_function function)
{
    core_->offer.add(std::move(definition), std::move(function));
    return *this;
}

mcp_server& mcp_server::add_resource_template(mcp_resource_template definition, resource_function function)
{
    core_->offer.add(std::move(definition), std::move(function));
    return *this;
}

mcp_server& mcp_server::add_prompt(mcp_prompt definition, prompt_function function)
{
    core_->offer.add(std::move(definition), std::move(function));
    return *this;
}

task<void> mcp_server::handle(http_call& call, mcp_caller caller)
{
    return mcp_detail::serve_http(core_, call, std::move(caller));
}

task<void> mcp_server::serve_stdio()
{
    // A client that does not read any more is no reason to end by a signal.
    struct sigaction before {};
    if (::sigaction(SIGPIPE, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) std::signal(SIGPIPE, SIG_IGN);
    return serve_pipe(STDIN_FILENO, STDOUT_FILENO);
}

task<void> mcp_server::serve_pipe(int in, int out, mcp_caller caller)
{
    return mcp_detail::serve_lines(core_, in, out, std::move(caller));
}

void mcp_server::tell_list_changed(mcp_list which) { core_->tell_list_changed(which); }
void mcp_server::tell_resource_updated(std::string_view uri) { core_->tell_resource_updated(uri); }

}  // namespace weft
