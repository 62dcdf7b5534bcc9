#include "langgraph_routes.hpp"

#include "assistant_routes.hpp"
#include "bulk_routes.hpp"
#include "item_routes.hpp"
#include "run_routes.hpp"
#include "state_routes.hpp"
#include "system_routes.hpp"
#include "thread_routes.hpp"
#include "thread_stream.hpp"

namespace weft::serve_detail {

void add_langgraph_routes(route_table& routes, serve_core& core)
{
    add_system_routes(routes, core);
    add_assistant_routes(routes, core);
    add_thread_routes(routes, core);
    add_state_routes(routes, core);
    add_run_routes(routes, core);
    add_bulk_routes(routes, core);
    add_thread_stream_routes(routes, core);
    add_item_routes(routes, core);
}

}  // namespace weft::serve_detail
