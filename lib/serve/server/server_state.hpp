#pragma once

#include "serve/a2a/a2a_push.hpp"
#include "serve/http/route_table.hpp"
#include "serve/mcp/graph_tool_server.hpp"
#include "serve/run/serve_core.hpp"
#include "serve/schedule/cron_runner.hpp"
#include "serve/schedule/store_sweeper.hpp"
#include "serve/schedule/timer_claims.hpp"
#include "serve/schedule/webhook_sender.hpp"

#include <weft/async/task.hpp>
#include <weft/async/wait/slot_limiter.hpp>
#include <weft/net/http_server.hpp>
#include <weft/serve/server_options.hpp>
#include <weft/serve/waiting_threads.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft::serve_detail {

/** What a server is made of, on one loop.
 *
 *  @par Thread safety   None: it belongs to its loop, from the constructor on. */
class server_state {
public:
    server_state(serial_loop& loop, server_stores stores, std::vector<served_graph> graphs, server_options options,
                 loop_share share);

    /** @return   The address with the port that the system chose. */
    listen_address listen(const listen_address& at, const std::optional<tls_server_options>& tls);
    task<void> run();
    task<std::vector<waiting_threads>> replace_graphs(std::vector<served_graph> graphs,
                                                      std::vector<served_entry> entries);
    task<void> handle(http_call& call);
    static task<void> serve_mcp_stdio(server_state& self);
    void drain();

    serve_core core;
    graph_tool_server mcp{core};
    std::shared_ptr<const route_table> routes;  // what awaits anything has its own copy
    http_server http;
    webhook_sender webhooks;
    timer_claims timers;
    cron_runner crons;
    store_sweeper sweeper;
    a2a_push_sender a2a_pushes;
    slot_limiter one_exchange{1};

private:
    [[nodiscard]] std::shared_ptr<const route_table> routes_for(const std::shared_ptr<const served_set>& served);
    static task<void> drain_runs(server_state& self);
    static task<void> take_over(server_state& self);
    static task<void> work_at(server_state& self, task<void> chore, const char* name);
    task<void> dispatch(http_call& call);
    task<void> answer(http_call& call, const route& to, std::vector<std::string> parts);
    task<void> refuse(http_call& call, std::exception_ptr thrown);
    void check_host(const http_call& call) const;
    [[nodiscard]] http_server_options http_options();
    void note_cron(const cron& due) const;
    void note_webhook(bool is_delivered) const;
    [[nodiscard]] http_headers common_headers(const http_call& call) const;

    bool is_local_only_ = true;  // of the addresses it listens on
};

}  // namespace weft::serve_detail
