#pragma once

#include <weft/graph/graph_spec_reader.hpp>
#include <weft/tool/tool_set.hpp>

#include <CLI/CLI.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace weft_cli {

/** A file as text: everything of it, or why that cannot be had. */
struct file_text {
    std::optional<std::string> text;
    std::string trouble;  ///< E.g. `No such file or directory`.
};

/** @param bytes_max   At most one more is read. */
[[nodiscard]] file_text read_file(const std::filesystem::path& path, std::size_t bytes_max = 16u << 20);

/** Names beside those of weft that files may use, since the program that runs them has them. */
struct foreign_names {
    std::vector<std::string> kinds = {};
    std::vector<std::string> types = {};
    std::vector<std::string> tools = {};
    bool knows_prices = true;  ///< Of the model that will be asked; see `weft::agent_surroundings`.
};

/** Gives a command the options --kinds, --types and --tools. `names` outlives it. */
void add_foreign_names(CLI::App& command, foreign_names& names);

/** A graph file that was looked at: a graph, or what is wrong with it. */
struct graph_file {
    std::filesystem::path path;
    std::string text = {};
    std::string trouble = {};  ///< Why the file cannot be read; empty if it can.
    std::optional<weft::loaded_graph> loaded = {};
    std::vector<weft::spec_mistake> mistakes = {};
    std::set<std::string> functions = {};  ///< Those of a C++ program that it names, with the files that it names.
};

/** The text of a graph file: as `read_file`, within the bounds of graph files. */
[[nodiscard]] file_text read_graph_text(const std::filesystem::path& path);

/** The MCP servers that a graph file names; nothing if that cannot be read, which `make_graph_file` tells.
 *  @param path   Where the text was read. */
[[nodiscard]] std::optional<std::map<std::string, weft::mcp_spec>> servers_of(const std::filesystem::path& path,
                                                                              const file_text& read);

/** Makes a graph out of the text of a file with what a registry has. `functions` stays empty.
 *  @param path   Where the text was read. */
[[nodiscard]] graph_file make_graph_file(const std::filesystem::path& path, file_text read,
                                         const weft::node_registry& registry);

/** Reads graph files for a look at them. Functions are taken for granted: they belong to a C++ program, and so are the
 *  foreign names, the tools that `weft run` can allow, and those of the servers that a file names.
 *  None of these can run: a node of them fails and says what to do. */
class graph_file_reader {
public:
    /** @par Errors   `weft::errc::invalid_configuration`: a foreign kind is one that is always there. */
    explicit graph_file_reader(const foreign_names& foreign);

    [[nodiscard]] graph_file read(const std::filesystem::path& path) const;
    [[nodiscard]] const weft::node_registry& registry() const noexcept { return registry_; }
    /** What files can name as tools, with those of the servers of the file that was read last. */
    [[nodiscard]] const std::shared_ptr<const weft::tool_set>& tools() const noexcept { return tools_; }

private:
    std::shared_ptr<std::set<std::string>> functions_ = std::make_shared<std::set<std::string>>();
    std::shared_ptr<std::map<std::string, weft::mcp_spec>> servers_ =
        std::make_shared<std::map<std::string, weft::mcp_spec>>();
    std::shared_ptr<const weft::tool_set> tools_;
    weft::node_registry registry_;
};

}  // namespace weft_cli
