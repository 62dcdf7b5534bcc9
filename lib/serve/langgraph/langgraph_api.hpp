#pragma once

#include "run_body.hpp"
#include "serve/http/route_table.hpp"
#include "serve/run/run_launcher.hpp"

#include <weft/async/task.hpp>

#include <memory>
#include <string>

namespace weft::serve_detail {

/** The Agent Server of LangGraph: what its clients call, answered by graphs of weft.
 *
 *  @par Lifetimes   The core outlives it, and it the routes that it adds. */
class langgraph_api {
public:
    explicit langgraph_api(serve_core& core) noexcept : core_{core}, launcher_{core} {}

    void add_routes(route_table& routes);
    /** Makes the assistant of each graph, if it is not there. */
    [[nodiscard]] task<void> make_assistants();

private:
    void add_system_routes(route_table& routes);
    void add_assistant_routes(route_table& routes);
    void add_thread_routes(route_table& routes);
    void add_run_routes(route_table& routes);
    void add_item_routes(route_table& routes);

    serve_core& core_;
    run_launcher launcher_;
};

}  // namespace weft::serve_detail
