#pragma once

#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/store/service/assistant_registry.hpp>

#include <string>
#include <string_view>

namespace weft::serve_detail {

/** The id of the assistant that each graph has: the same on every server of LangGraph's protocol.
 *  @par Source   RFC 9562, UUID version 5, of the graph's name. */
[[nodiscard]] std::string assistant_id_of(std::string_view graph);

/** An assistant by its id, or by the name of its graph.
 *  @par Errors   `http_error` of the given status if there is none; it names the graphs. */
[[nodiscard]] task<assistant> require_assistant(serve_core& core, std::string tenant, std::string id, int status);

/** Makes the assistants of the graphs for a tenant, once in the life of the server, if they are not there. */
[[nodiscard]] task<void> make_assistants(serve_core& core, std::string tenant);

/** The graph of an assistant.
 *  @par Errors   `http_error` 422: this server does not have it. */
[[nodiscard]] std::shared_ptr<const hosted_graph> graph_of(const serve_core& core, const assistant& of);

}  // namespace weft::serve_detail
