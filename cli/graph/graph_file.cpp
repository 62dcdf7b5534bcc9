#include "graph_file.hpp"

#include "run_tools.hpp"
#include "terminal/list_option.hpp"

#include <weft/agent/agent_kinds.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

namespace weft_cli {

namespace {

/** What stands for work that only a C++ program has. It may answer with a command, as far as one can know. */
class foreign_work final : public weft::node_body {
public:
    foreign_work(std::string what, std::string name)
        : node_body{false, true}, what_{std::move(what)}, name_{std::move(name)}
    {
    }

    void run(weft::node_context&, weft::command&) const override
    {
        throw weft::error{weft::errc::invalid_configuration, what_ + " '" + name_ + "'",
                          "belongs to a C++ program and is not there: run the graph in that program, or give the "
                          "node's result by hand with `weft run --stub`"};
    }
    weft::node_task make(weft::node_context&) const override { return {}; }

private:
    std::string what_;
    std::string name_;
};

weft::node_kind foreign_kind(const std::string& name)
{
    return {[name](weft::node_request&) { return std::make_shared<const foreign_work>("the kind of node", name); }};
}

std::string last_trouble()
{
    return errno == 0 ? "it cannot be read" : std::error_code{errno, std::generic_category()}.message();
}

}  // namespace

file_text read_file(const std::filesystem::path& path, std::size_t bytes_max)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return {{}, "it is a folder"};
    errno = 0;
    std::ifstream file{path, std::ios::binary};
    if (!file) return {{}, last_trouble()};
    std::string text;
    std::vector<char> part(64u << 10);
    while (file && text.size() <= bytes_max) {
        file.read(part.data(), static_cast<std::streamsize>(std::min(part.size(), bytes_max + 1 - text.size())));
        text.append(part.data(), static_cast<std::size_t>(file.gcount()));
    }
    if (file.bad()) return {{}, last_trouble()};
    return {std::move(text), {}};
}

void add_foreign_names(CLI::App& command, foreign_names& names)
{
    add_comma_list(command, "--kinds", names.kinds, "Kinds of nodes that the program which runs the graph adds")
        ->type_name("A,B");
    add_comma_list(command, "--types", names.types, "Types of keys that it adds")->type_name("A,B");
    add_comma_list(command, "--tools", names.tools, "Tools that it has for models")->type_name("A,B");
}

graph_file_reader::graph_file_reader(const foreign_names& foreign) : tools_{foreign_tools(foreign.tools, servers_)}
{
    registry_.functions_otherwise([names = functions_](std::string_view name) {
        names->emplace(name);
        return std::make_shared<const foreign_work>("the function", std::string{name});
    });
    weft::add_agent_kinds(registry_, {.knows_prices = foreign.knows_prices, .tools = tools_});
    for (const std::string& kind : foreign.kinds) registry_.add_kind(kind, foreign_kind(kind));
    for (const std::string& type : foreign.types) registry_.add_type<boost::json::value>(type);
}

file_text read_graph_text(const std::filesystem::path& path)
{
    return read_file(path, weft::spec_reader_options{}.bytes_max);
}

std::optional<std::map<std::string, weft::mcp_spec>> servers_of(const std::filesystem::path& path,
                                                                const file_text& read)
{
    if (!read.text) return std::nullopt;
    try {
        return weft::read_graph_spec(*read.text, {.file = path.string()}).mcp;
    } catch (const weft::graph_spec_error&) {
        return std::nullopt;
    }
}

graph_file make_graph_file(const std::filesystem::path& path, file_text read, const weft::node_registry& registry)
{
    graph_file result{.path = path};
    weft::spec_reader_options options{.file = path.string(), .folder = path.parent_path()};
    if (options.folder.empty()) options.folder = ".";
    result.trouble = std::move(read.trouble);
    if (!read.text) return result;
    result.text = std::move(*read.text);
    try {
        result.loaded = weft::load_graph(result.text, registry, options);
    } catch (const weft::graph_spec_error& e) {
        result.mistakes = e.mistakes();
        for (weft::spec_mistake& mistake : result.mistakes)
            if (mistake.file != options.file)
                mistake.file = (path.parent_path() / mistake.file).lexically_normal().string();
    }
    return result;
}

graph_file graph_file_reader::read(const std::filesystem::path& path) const
{
    functions_->clear();
    file_text read = read_graph_text(path);
    *servers_ = servers_of(path, read).value_or(std::map<std::string, weft::mcp_spec>{});
    graph_file result = make_graph_file(path, std::move(read), registry_);
    result.functions = std::exchange(*functions_, {});
    return result;
}

}  // namespace weft_cli
