#include "run_tools.hpp"

#include "run_input.hpp"

#include <weft/agent/document_tools.hpp>
#include <weft/agent/remote/http_node_options.hpp>
#include <weft/agent/memory_tools.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/spec/spec_mistake.hpp>
#include <weft/tool/file_tools.hpp>
#include <weft/tool/http_fetch_tool.hpp>
#include <weft/tool/mcp_tools.hpp>
#include <weft/tool/process/environment_privacy.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace weft_cli {

namespace {

constexpr std::string_view server_word = "mcp=";
constexpr std::string_view host_word = "http=";

void add_files(weft::tool_set& to, const std::string& folder, bool may_write)
{
    weft::file_tools_options options;
    options.allows_writing = may_write;
    weft::add_file_tools(to, folder, options);
}

void add_allowed(weft::tool_set& to, const std::string& word)
{
    if (word == "http_fetch") {
        to.add(weft::http_fetch_tool());
        return;
    }
    const std::size_t equals = word.find('=');
    const std::string_view name = std::string_view{word}.substr(0, equals);
    const std::string value = equals == std::string::npos ? std::string{} : word.substr(equals + 1);
    if (name == "mcp") {
        if (value.empty()) throw usage_error{"--allow " + word + ": name the server of the file, e.g. mcp=files"};
        return;
    }
    if (name == "http") {
        if (value.empty()) throw usage_error{"--allow " + word + ": name the host, e.g. http=localhost:8001"};
        return;
    }
    const std::vector<std::string_view> known{"http_fetch", "files", "files-write", "mcp", "http"};
    if (name != "files" && name != "files-write")
        throw usage_error{"--allow " + word + ": there is no tool '" + std::string{name} + "'" +
                          weft::known_names(name, known)};
    if (value.empty()) throw usage_error{"--allow " + word + ": name the folder, e.g. " + std::string{name} + "=notes"};
    add_files(to, value, name == "files-write");
}

/** They reach the memory and the documents of the run and nothing else, so that no word has to allow them. A file that
 *  leaves its `tools` out does not mean them: nodes have those that they name. */
weft::tool_set memory_tools(std::shared_ptr<const weft::semantic_items> documents = nullptr)
{
    weft::tool_set tools;
    weft::add_memory_tools(tools);
    weft::document_tools_options searching;
    searching.documents = std::move(documents);
    weft::add_document_tools(tools, std::move(searching));
    return tools;
}

/** The server of a name `SERVER__TOOL`; the end if it is none of these. */
server_specs::const_iterator server_of(std::string_view tool, const server_specs& servers)
{
    const std::size_t end = tool.find("__");
    return end == tool.npos ? servers.end() : servers.find(std::string{tool.substr(0, end)});
}

/** Whether the file lets nodes call a tool of this name. */
bool offers(const server_specs::value_type& server, std::string_view tool)
{
    const auto& tools = server.second.tools;
    return !tools || std::any_of(tools->begin(), tools->end(), [&](const std::string& one) {
        return weft::mcp_tool_name(server.first, one) == tool;
    });
}

std::string not_offered(const server_specs::value_type& server, std::string_view tool)
{
    return "the \"tools\" of the server '" + server.first + "' have no '" + std::string{tool} +
           "': name it there, without '" + server.first + "__'";
}

/** The word of --allow that a tool needs; empty if none helps. */
std::string word_for(std::string_view tool, const server_specs& servers)
{
    if (tool == "http_fetch") return "http_fetch";
    if (tool == "read_file" || tool == "list_files") return "files=FOLDER";
    if (tool == "write_file") return "files-write=FOLDER";
    const auto server = server_of(tool, servers);
    return server == servers.end() ? std::string{} : "mcp=" + server->first;
}

[[noreturn]] void refuse(std::string_view tool, std::string why)
{
    throw weft::error{weft::errc::invalid_configuration, "tool '" + std::string{tool} + "'", std::move(why)};
}

/** What is known of a tool, without its work. */
class tool_stand_in final : public weft::tool {
public:
    explicit tool_stand_in(weft::tool_spec what) : spec_{std::move(what)} {}
    weft::tool_spec spec() const override { return spec_; }
    weft::task<weft::tool_result> call(weft::tool_invocation) override
    {
        refuse(spec_.name, "it belongs to another program");
        co_return weft::tool_result{};
    }

private:
    weft::tool_spec spec_;
};

std::shared_ptr<weft::tool> stand_in(weft::tool_spec spec) { return std::make_shared<tool_stand_in>(std::move(spec)); }

weft::tool_spec spec_named(std::string name, std::string description)
{
    weft::tool_spec spec;
    spec.name = std::move(name);
    spec.description = std::move(description);
    return spec;
}

std::shared_ptr<weft::tool> server_tool(std::string_view name, const std::string& server)
{
    return stand_in(spec_named(std::string{name}, "A tool of the MCP server '" + server + "'."));
}

/** Those of the servers that the arguments name. */
server_specs servers_named(const std::vector<std::string>& args, const server_specs& servers)
{
    server_specs named;
    for (const std::string& word : args)
        if (word.starts_with(server_word))
            if (const auto found = servers.find(word.substr(server_word.size())); found != servers.end())
                named.insert(*found);
    return named;
}

/** Whether tools of servers that have not been started yet are there, as far as their names say. */
enum class server_tools : std::uint8_t { missing, foreseen };

std::shared_ptr<weft::tool_set> tools_of(const std::vector<std::string>& args, server_specs servers, server_tools how,
                                         std::shared_ptr<const weft::semantic_items> documents)
{
    if (!args.empty()) (void)weft::keep_environment_private();
    const auto tools = std::make_shared<weft::tool_set>();
    for (const std::string& word : args) {
        try {
            add_allowed(*tools, word);
        } catch (const weft::error& e) {
            throw usage_error{"--allow " + word + ": " + e.detail()};
        }
    }
    tools->otherwise([allowed = servers_named(args, servers), memory = memory_tools(std::move(documents)),
                      servers = std::move(servers), how](std::string_view name) -> std::shared_ptr<weft::tool> {
        if (const weft::tool_entry* const known = memory.find(name)) return known->work;
        const auto server = server_of(name, allowed);
        if (server != allowed.end() && !offers(*server, name)) refuse(name, not_offered(*server, name));
        if (server != allowed.end() && how == server_tools::foreseen) return server_tool(name, server->first);
        const std::string word = word_for(name, servers);
        if (word.empty() || server != allowed.end()) return nullptr;
        refuse(name, "the tool '" + std::string{name} + "' is not allowed: add --allow " + word);
    });
    return tools;
}

}  // namespace

std::shared_ptr<weft::tool_set> allowed_tools(const std::vector<std::string>& args, server_specs servers,
                                              std::shared_ptr<const weft::semantic_items> documents)
{
    return tools_of(args, std::move(servers), server_tools::missing, std::move(documents));
}

std::shared_ptr<const weft::tool_set> foreseen_tools(const std::vector<std::string>& args, server_specs servers)
{
    return tools_of(args, std::move(servers), server_tools::foreseen, nullptr);
}

std::function<bool(const weft::url&)> allowed_hosts(const std::vector<std::string>& args)
{
    std::vector<std::string> hosts;
    for (const std::string& word : args)
        if (word.starts_with(host_word) && word != host_word) hosts.push_back(word.substr(host_word.size()));
    try {
        return weft::trust_hosts(hosts);
    } catch (const weft::error& e) {
        throw usage_error{"--allow http=…: " + e.detail()};
    }
}

server_specs allowed_servers(const std::vector<std::string>& args, const server_specs& servers)
{
    for (const std::string& word : args) {
        if (!word.starts_with(server_word) || servers.contains(word.substr(server_word.size()))) continue;
        const std::string name = word.substr(server_word.size());
        std::vector<std::string_view> known;
        for (const auto& [one, spec] : servers) known.push_back(one);
        throw usage_error{"--allow " + word + ": the member \"mcp\" of the file has no server '" + name + "'" +
                          weft::known_names(name, known)};
    }
    return servers_named(args, servers);
}

std::shared_ptr<const weft::tool_set> foreign_tools(const std::vector<std::string>& names,
                                                    std::shared_ptr<const server_specs> servers)
{
    weft::tool_set own;
    own.add(weft::http_fetch_tool());
    add_files(own, ".", true);
    weft::tool_set known;
    for (const std::string& name : names) known.add(stand_in(spec_named(name, "A tool of another program.")));
    for (const weft::tool_entry& entry : own.entries())
        if (!known.find(entry.spec.name)) known.add(stand_in(entry.spec));
    auto tools = std::make_shared<weft::tool_set>(known);
    tools->otherwise([known = std::move(known), memory = memory_tools(),
                      servers = std::move(servers)](std::string_view name) {
        if (const weft::tool_entry* const entry = memory.find(name)) return stand_in(entry->spec);
        const auto server = server_of(name, *servers);
        if (server == servers->end())
            refuse(name,
                   known.explain_unknown(name) + "; if the program that runs the graph has it, name it with --tools");
        if (!offers(*server, name)) refuse(name, not_offered(*server, name));
        return server_tool(name, server->first);
    });
    return tools;
}

}  // namespace weft_cli
