#include <weft/agent/kinds/mcp_servers.hpp>

#include "agent/text/gathered_mistakes.hpp"

#include <weft/async/async_start.hpp>
#include <weft/base/error.hpp>
#include <weft/base/text/ascii_text.hpp>
#include <weft/engine/runtime.hpp>
#include <weft/graph/spec/environment_references.hpp>
#include <weft/tool/mcp/mcp_http_transport.hpp>
#include <weft/tool/mcp/mcp_stdio_transport.hpp>
#include <weft/tool/mcp_tools.hpp>

#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <future>
#include <utility>
#include <vector>

namespace weft {

namespace {

using offered_tools = std::vector<std::shared_ptr<tool>>;

/** Puts the environment into the texts of a server. */
struct text_resolver {
    const environment_lookup& environment;
    spec_mistakes& mistakes;

    [[nodiscard]] std::string of(const std::string& text, const json_path& at) const
    {
        return spec_detail::resolved(text, environment, at, mistakes);
    }
};

mcp_program program_of(const mcp_spec& from, const json_path& at, const text_resolver& resolve)
{
    mcp_program program;
    const json_path command{at, "command"};
    for (std::size_t i = 0; i < from.command.size(); ++i)
        program.command.push_back(resolve.of(from.command[i], json_path{command, i}));
    const json_path environment{at, "environment"};
    for (const auto& [name, value] : from.environment)
        program.secrets[name] = secret_string{resolve.of(value, json_path{environment, std::string_view{name}})};
    return program;
}

constexpr std::string_view bearer = "Bearer ";

mcp_endpoint endpoint_of(const mcp_spec& from, const json_path& at, const text_resolver& resolve)
{
    mcp_endpoint endpoint{resolve.of(from.url, json_path{at, "url"})};
    const json_path headers{at, "headers"};
    for (const auto& [name, value] : from.headers) {
        std::string text = resolve.of(value, json_path{headers, std::string_view{name}});
        const bool is_token = ascii_lower_case(name) == "authorization" && text.starts_with(bearer);
        if (is_token) endpoint.token = secret_string{text.substr(bearer.size())};
        else endpoint.headers[name] = std::move(text);
    }
    return endpoint;
}

/** @param otherwise   What the file does not say. */
oauth_options oauth_of(const mcp_oauth_spec& from, const json_path& at, const text_resolver& resolve,
                       oauth_options otherwise)
{
    oauth_options options = std::move(otherwise);
    const bool is_own = from.grant == mcp_oauth_grant::client_credentials;
    options.grant = is_own ? oauth_grant::client_credentials : oauth_grant::authorization_code;
    options.client_id = resolve.of(from.client_id, json_path{at, "client_id"});
    options.client_secret = secret_string{resolve.of(from.client_secret, json_path{at, "client_secret"})};
    options.issuer = resolve.of(from.issuer, json_path{at, "issuer"});
    options.client_metadata_url = resolve.of(from.client_metadata_url, json_path{at, "client_metadata_url"});
    options.scopes = from.scopes;
    return options;
}

mcp_tools_options options_of(const std::string& name, const mcp_spec& from)
{
    mcp_tools_options options;
    options.prefix = name;
    if (from.timeout) options.timeout = from.timeout->span();
    if (from.tools)
        options.select = [wanted = *from.tools](const mcp_tool& offered) {
            return std::find(wanted.begin(), wanted.end(), offered.name) != wanted.end();
        };
    return options;
}

std::string place_of(const std::string& server) { return "MCP server '" + server + "'"; }

std::unique_ptr<mcp_transport> transport_of(const std::string& name, const mcp_spec& spec, const http_client& client,
                                            mcp_program& program, mcp_endpoint& endpoint)
{
    if (!spec.command.empty()) return mcp_stdio(std::move(program));
    try {
        return mcp_http(client, std::move(endpoint));
    } catch (const error& e) {
        throw error{e.code(), place_of(name), e.what()};
    }
}

/** What a spec names must be there, or a node would miss it in the middle of a run. */
void check_offer(const std::string& server, const mcp_spec& spec, const offered_tools& offered)
{
    if (!spec.tools) return;
    for (const std::string& wanted : *spec.tools) {
        const std::string name = mcp_tool_name(server, wanted);
        const bool is_there = std::any_of(offered.begin(), offered.end(), [&](const auto& one) {
            return one->spec().name == name;
        });
        if (!is_there)
            throw error{errc::invalid_configuration, place_of(server),
                        "it has no tool '" + wanted + "' that can be used"};
    }
}

}  // namespace

struct mcp_servers::connections {
    struct server {
        std::string name;
        mcp_spec spec;
        std::unique_ptr<mcp_transport> transport;
        std::unique_ptr<mcp_client> client;  // made, used and destroyed on the loop
    };

    std::vector<server> servers;
    runtime on{1};

    [[nodiscard]] serial_loop& loop() { return on.loop(0); }

    static task<offered_tools> connect(server& one)
    {
        one.client = std::make_unique<mcp_client>(std::move(one.transport));
        mcp_tools_options options = options_of(one.name, one.spec);
        offered_tools offered = co_await mcp_tools(*one.client, std::move(options));
        co_return offered;
    }

    static task<void> leave(server& one)
    {
        try {
            if (one.client) co_await one.client->close();
        } catch (const error&) {
            // It is gone already, or does not answer: its process is ended with the client.
        }
        one.client.reset();
    }

    void connect_all(tool_set& to);
    void leave_all() noexcept;
};

void mcp_servers::connections::connect_all(tool_set& to)
{
    std::vector<std::future<offered_tools>> asked;
    for (server& one : servers) asked.push_back(async_start(loop(), connect(one), boost::asio::use_future));
    for (const auto& each : asked) each.wait();
    for (std::size_t i = 0; i < servers.size(); ++i) {
        const server& one = servers[i];
        try {
            const offered_tools offered = asked[i].get();
            check_offer(one.name, one.spec, offered);
            for (const std::shared_ptr<tool>& each : offered) to.add(each);
        } catch (const error& e) {
            throw error{e.code(), place_of(one.name), e.what()};
        }
    }
}

void mcp_servers::connections::leave_all() noexcept
{
    std::vector<std::future<void>> asked;
    for (server& one : servers) asked.push_back(async_start(loop(), leave(one), boost::asio::use_future));
    for (const auto& each : asked) each.wait();
}

mcp_servers::mcp_servers(const std::map<std::string, mcp_spec>& which, mcp_servers_options options)
    : connections_{std::make_unique<connections>()}
{
    agent_detail::gathered_mistakes mistakes;
    const json_path whole;
    const json_path at{whole, "mcp"};
    const text_resolver resolve{options.environment, mistakes};
    std::vector<std::pair<mcp_program, mcp_endpoint>> said;
    for (const auto& [name, spec] : which) {
        const json_path here{at, std::string_view{name}};
        if (spec.command.empty()) said.emplace_back(mcp_program{}, endpoint_of(spec, here, resolve));
        else said.emplace_back(program_of(spec, here, resolve), mcp_endpoint{});
        if (!spec.oauth) continue;
        oauth_options otherwise = options.oauth ? options.oauth(name) : oauth_options{};
        said.back().second.oauth = oauth_of(*spec.oauth, json_path{here, "oauth"}, resolve, std::move(otherwise));
    }
    if (mistakes.count() > 0) throw error{errc::invalid_configuration, "MCP servers", mistakes.text()};
    std::size_t i = 0;
    for (const auto& [name, spec] : which) {
        auto& [program, endpoint] = said[i++];
        auto transport = transport_of(name, spec, options.client, program, endpoint);
        connections_->servers.push_back({name, spec, std::move(transport), nullptr});
    }
    tool_set all;
    try {
        connections_->connect_all(all);
    } catch (...) {
        connections_->leave_all();
        throw;
    }
    tools_ = std::make_shared<const tool_set>(std::move(all));
}

mcp_servers::~mcp_servers() { connections_->leave_all(); }

}  // namespace weft
