#pragma once

#include <weft/base/chrono.hpp>
#include <weft/engine/durable_options.hpp>
#include <weft/engine/run_options.hpp>
#include <weft/graph/graph.hpp>
#include <weft/net/options/http_server_options.hpp>
#include <weft/serve/auth_options.hpp>
#include <weft/serve/graph_file_look.hpp>
#include <weft/serve/served_entry.hpp>
#include <weft/serve/webhook_options.hpp>
#include <weft/tool/mcp_server/mcp_on_disconnect.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

class checkpoint_store;
class embedding_model;
class item_store;
class live_surroundings;
class runtime;
class service_store;
class telemetry;

/** A graph that is served, and the limits of its runs. */
struct served_graph {
    served_graph(weft::graph graph, std::optional<run_options> limits = std::nullopt,
                 std::shared_ptr<const void> keeps = nullptr)
        : graph{std::move(graph)}, limits{std::move(limits)}, keeps{std::move(keeps)}
    {
    }

    weft::graph graph;
    std::optional<run_options> limits;
    std::shared_ptr<const void> keeps;  ///< What its nodes refer to: lives as long as the graph and its runs.
    graph_file_function file;           ///< The file that it comes from, for the studio; null: it comes from none.
};

/** Where a server keeps what must outlive it. One store has all three roles.
 *
 *  @par Lifetimes   The server shares none of them: they outlive it. */
struct server_stores {
    server_stores(checkpoint_store& runs, service_store& service, item_store* items = nullptr) noexcept
        : runs{&runs}, service{&service}, items{items}
    {
    }
    /** Of a `memory_store`, `sqlite_store` or `postgres_store`. */
    template <class Store>
        requires requires(Store& store) { store.service(); }
    explicit server_stores(Store& store, item_store* items = nullptr) noexcept
        : runs{&store}, service{&store.service()}, items{items}
    {
    }

    checkpoint_store* runs;
    service_store* service;
    item_store* items;  ///< For `/store/items`; null: those routes answer 404.
};

/** What a server allows and how it runs graphs. The one place of these defaults.
 *
 *      weft::server_options options;
 *      options.http.body_bytes_max = 16 << 20;
 */
struct server_options {
    server_options() {}

    http_server_options http{};
    auth_options auth{};
    /** How runs are kept, and how many of them are performed here: with `performed_max` 0 the server accepts requests,
     *  and workers elsewhere perform (`weft::worker`). With any `performed_max` runs without a thread are kept as well,
     *  until they are over, since they may get their place elsewhere. More loops share the places. */
    durable_options runs{};
    webhook_options webhooks{};
    /** Crons of a tenant; a client that wants one more gets 429. */
    std::size_t crons_max = 1000;
    std::vector<served_entry> entries{};  ///< Timers, and webhooks of other systems.
    /** Runs under way at once, those that wait for their turn included; a client that wants one more gets 503. */
    std::size_t runs_max = 10'000;
    /** Makes vectors of the items that clients put into the store, so that they are found by meaning; null: a search by
     *  meaning is refused. */
    std::shared_ptr<embedding_model> embeddings{};
    /** What clients tell of the surroundings of agents, by the command `surroundings.tell` of the second protocol; the
     *  agents of the graphs share it (`agent_options::live`). Null: the command is refused. */
    std::shared_ptr<live_surroundings> live{};
    /** What of an item has a meaning, as JSON pointers such as `/text`, unless a client says it; empty: all of it. */
    std::vector<std::string> embedded_fields{};
    /** Names under which clients may call the server, without ports; others get 421. Empty: of a server that listens
     *  on this machine only, the names of this machine, so that no page can reach it by a name of its own (DNS
     *  rebinding); else any. */
    std::vector<std::string> allowed_hosts{};
    /** Where clients find the server, as in `https://agents.example/weft`, for what tells them URLs: the cards of A2A.
     *  Empty: by the name, and the way, by which a request has come, which is not that of a proxy in front. */
    std::string public_url{};
    /** What becomes of a run when a client of MCP 2026-07-28 goes away from its call over HTTP: it is cancelled, as
     *  that protocol has it, or goes on in its thread (`forsake`), as with all other protocols. */
    mcp_on_disconnect mcp_disconnect = mcp_on_disconnect::cancel;
    /** Between two signs of life in a stream without events: proxies close what is silent. */
    std::chrono::nanoseconds heartbeat = std::chrono::seconds{5};
    /** Keeps the events of runs of threads in the store, so that a client that joins a run again gets each of them also
     *  when this process has ended meanwhile, or another one has the run. */
    bool keeps_events = true;
    std::size_t feed_events_max = 10'000;  ///< Events of a run that a client may read again.
    std::size_t feeds_closed_max = 256;    ///< Runs that are over and whose events may still be read.
    std::size_t tapes_max = 1000;          ///< Threads whose events are kept for clients that watch the thread.
    /** Shows a page below `/studio/` on which people follow, answer and fork runs; see docs/server/STUDIO.md. The page
     *  itself has nothing of the server, and asks for an API key where callers need one. What models are sent, and
     *  answer, is recorded in the logs of the runs then, for the page (`durable_options::records_requests`). */
    bool shows_studio = false;
    /** A browser page of this origin may use the server (CORS); `*`: of any; empty: none. */
    std::string allowed_origin{};
    /** Further loops, each with an OS thread of its own, so that the server uses several cores. Connections are shared
     *  out among all loops; a run stays on the one on which it began, and clients follow it from any. Graphs, and the
     *  functions of all options, are called from each of them, at the same time. `runs_max` and `connections_max` are
     *  divided among them. It outlives the server, whose own loop is none of these. Null: the server has its own. */
    runtime* more_loops = nullptr;
    /** Counts what happens, for `GET /metrics` (scope `metrics:read`), and records traces; see `telemetry`. Null: there
     *  are neither, and no such route. */
    std::shared_ptr<weft::telemetry> telemetry{};
    /** Told what clients are not told: the route and what was thrown. On the loop; must not block. */
    std::function<void(std::string_view where, std::string_view what)> on_error{};
};

}  // namespace weft
