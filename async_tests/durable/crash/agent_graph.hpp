#pragma once

#include "durable/ledger.hpp"

#include <weft/engine/durable/durable_graphs.hpp>
#include <weft/tool/mcp_client.hpp>

#include <memory>
#include <string>

namespace weft_crash {

/** Agents that are killed: one looks things up, with a tool of its own and two of an MCP server that is a process; then
 *  a writer and a critic talk in rounds. Replies of models and results of tools depend on all that they were asked.
 *
 *  A call of a model or of a tool is noted as `effect <thread> <what it was asked> <key>`. */
struct agents_at_work {
    std::unique_ptr<weft::mcp_client> archive;
    std::shared_ptr<const weft::durable_graphs> graphs;
};

/** Starts the server, and makes the graphs.
 *  @param ledger   The file of `notes`, for the server. */
[[nodiscard]] weft::task<agents_at_work> hire_agents(std::shared_ptr<const weft_tests::ledger> notes,
                                                     std::string ledger);

/** The server: answers on its standard input and output until that ends.
 *  @return  The exit status. */
int serve_archive(const std::string& ledger);

}  // namespace weft_crash
