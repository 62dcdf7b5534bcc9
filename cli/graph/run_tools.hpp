#pragma once

#include <weft/agent/memory/semantic_items.hpp>
#include <weft/graph/graph_spec.hpp>
#include <weft/net/url.hpp>
#include <weft/tool/tool_set.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace weft_cli {

using server_specs = std::map<std::string, weft::mcp_spec>;

/** The tools that the values of `--allow` let the models of a run call: `http_fetch`, `files=FOLDER` to read below a
 *  folder, `files-write=FOLDER` to write there too. `mcp=SERVER` and `http=HOST` add nothing here. Those of memory and
 *  `search_documents` are there if a node names them. Of another tool the set says which word allows it.
 *
 *  @param servers    Of the file.
 *  @param documents  What `search_documents` searches; null: its calls fail.
 *  @par Errors   `usage_error`: another word, one that is said twice, a folder that is none. */
[[nodiscard]] std::shared_ptr<weft::tool_set> allowed_tools(const std::vector<std::string>& args,
                                                            server_specs servers = {},
                                                            std::shared_ptr<const weft::semantic_items> documents = {});

/** The same with the tools that the servers which `--allow` names are said to have. Those cannot be called. */
[[nodiscard]] std::shared_ptr<const weft::tool_set> foreseen_tools(const std::vector<std::string>& args,
                                                                   server_specs servers);

/** Of the servers of a file those that `mcp=SERVER` allows.
 *  @par Errors   `usage_error`: the file has no such server. */
[[nodiscard]] server_specs allowed_servers(const std::vector<std::string>& args, const server_specs& servers);

/** The services that `http=HOST` lets nodes of the kind `http` reach at any address and with secrets.
 *  @par Errors   `usage_error`: a text that is no host. */
[[nodiscard]] std::function<bool(const weft::url&)> allowed_hosts(const std::vector<std::string>& args);

/** Tools that a look at a file takes for granted: those that `--allow` can name, these, and those of the file's
 *  servers. They cannot be called. Of another tool the set says which option names it.
 *  @param servers   Asked whenever a file names a tool. A server without `tools` has every tool.
 *  @par Errors   `weft::errc::invalid_configuration` for a name that no tool can have. */
[[nodiscard]] std::shared_ptr<const weft::tool_set> foreign_tools(
    const std::vector<std::string>& names,
    std::shared_ptr<const server_specs> servers = std::make_shared<const server_specs>());

}  // namespace weft_cli
