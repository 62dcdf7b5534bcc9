#include "run_tools.hpp"

#include "run_input.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/spec_mistake.hpp>
#include <weft/tool/environment_privacy.hpp>
#include <weft/tool/file_tools.hpp>
#include <weft/tool/http_fetch_tool.hpp>

#include <string_view>

namespace weft_cli {

namespace {

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
    const std::string folder = equals == std::string::npos ? std::string{} : word.substr(equals + 1);
    if (name != "files" && name != "files-write")
        throw usage_error{"--allow " + word + ": there is no tool '" + std::string{name} + "'" +
                          weft::known_names(name, std::vector<std::string_view>{"http_fetch", "files", "files-write"})};
    if (folder.empty())
        throw usage_error{"--allow " + word + ": name the folder, e.g. " + std::string{name} + "=notes"};
    add_files(to, folder, name == "files-write");
}

}  // namespace

std::shared_ptr<const weft::tool_set> allowed_tools(const std::vector<std::string>& words)
{
    if (!words.empty()) (void)weft::keep_environment_private();
    const auto tools = std::make_shared<weft::tool_set>();
    for (const std::string& word : words) {
        try {
            add_allowed(*tools, word);
        } catch (const weft::error& e) {
            throw usage_error{"--allow " + word + ": " + e.detail()};
        }
    }
    return tools;
}

std::shared_ptr<const weft::tool_set> foreign_tools(const std::vector<std::string>& names)
{
    const auto tools = std::make_shared<weft::tool_set>();
    for (const std::string& name : names)
        tools->add(name, "A tool of another program.", [](boost::json::object) -> std::string {
            throw weft::error{weft::errc::invalid_configuration, "tool", "it belongs to another program"};
        });
    return tools;
}

}  // namespace weft_cli
