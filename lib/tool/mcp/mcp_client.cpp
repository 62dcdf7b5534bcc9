#include <weft/tool/mcp_client.hpp>

#include "mcp_read.hpp"
#include "mcp_session.hpp"

#include <utility>

namespace weft {

namespace {

using mcp_detail::list_request;

constexpr list_request<mcp_tool> tool_list{"tools", "tools/list", "tools", &mcp_detail::read_tool};
constexpr list_request<mcp_resource> resource_list{"resources", "resources/list", "resources",
                                                   &mcp_detail::read_resource};
constexpr list_request<mcp_resource_template> template_list{"resources", "resources/templates/list",
                                                            "resourceTemplates", &mcp_detail::read_resource_template};
constexpr list_request<mcp_prompt> prompt_list{"prompts", "prompts/list", "prompts", &mcp_detail::read_prompt};

}  // namespace

struct mcp_client::impl {
    impl(std::unique_ptr<mcp_transport> transport, mcp_client_options given)
        : options{std::move(given)}, session{std::move(transport), options}
    {
    }
    mcp_client_options options;
    mcp_detail::mcp_session session;
};

mcp_client::mcp_client(std::unique_ptr<mcp_transport> transport, mcp_client_options options)
    : impl_{std::make_unique<impl>(std::move(transport), std::move(options))}
{
}

mcp_client::~mcp_client() = default;

task<void> mcp_client::connect() { return impl_->session.connection().connect(); }
task<void> mcp_client::close() { return impl_->session.connection().close(); }

const mcp_agreement& mcp_client::agreement() const noexcept { return impl_->session.connection().agreement(); }
bool mcp_client::is_connected() const noexcept { return impl_->session.connection().is_connected(); }
const std::string& mcp_client::label() const noexcept { return impl_->session.connection().transport().label(); }
serial_loop* mcp_client::loop() const noexcept { return impl_->session.connection().loop(); }

void mcp_client::complain(std::string what) const { impl_->session.connection().complain(std::move(what)); }

task<mcp_client::list<mcp_tool>> mcp_client::tools()
{
    return impl_->session.list(tool_list, impl_->session.tools);
}

task<mcp_client::list<mcp_resource>> mcp_client::resources()
{
    return impl_->session.list(resource_list, impl_->session.resources);
}

task<mcp_client::list<mcp_resource_template>> mcp_client::resource_templates()
{
    return impl_->session.list(template_list, impl_->session.templates);
}

task<mcp_client::list<mcp_prompt>> mcp_client::prompts()
{
    return impl_->session.list(prompt_list, impl_->session.prompts);
}

task<mcp_call_result> mcp_client::call_tool(std::string name, boost::json::object arguments, mcp_call_options options)
{
    return impl_->session.call_tool(std::move(name), std::move(arguments), std::move(options));
}

task<std::vector<mcp_resource_content>> mcp_client::read_resource(std::string uri, mcp_call_options options)
{
    co_await connect();
    impl_->session.require("resources");
    boost::json::object params;
    params["uri"] = uri;
    options.is_repeatable = true;  // reading changes nothing
    boost::json::object answer =
        co_await impl_->session.request("resources/read", std::move(params), std::move(options));
    co_return mcp_detail::read_resource_contents(answer);
}

task<mcp_prompt_text> mcp_client::prompt(std::string name, boost::json::object arguments, mcp_call_options options)
{
    co_await connect();
    impl_->session.require("prompts");
    boost::json::object params;
    params["name"] = name;
    if (!arguments.empty()) params["arguments"] = std::move(arguments);
    options.is_repeatable = true;
    boost::json::object answer = co_await impl_->session.request("prompts/get", std::move(params), std::move(options));
    co_return mcp_detail::read_prompt_text(answer, impl_->options.limits);
}

task<boost::json::object> mcp_client::request(std::string method, boost::json::object params, mcp_call_options options)
{
    return impl_->session.request(std::move(method), std::move(params), std::move(options));
}

}  // namespace weft
