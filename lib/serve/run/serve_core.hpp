#pragma once

#include "log_follower.hpp"
#include "run_end_watcher.hpp"
#include "run_news.hpp"
#include "served_set.hpp"
#include "serve/auth/access_control.hpp"
#include "serve/feed/feed_table.hpp"
#include "serve/feed/thread_tape.hpp"

#include <weft/async/scope.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/engine/durable/durable_graphs.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/graph/graph.hpp>
#include <weft/observe/telemetry/timed_store.hpp>
#include <weft/serve/server_options.hpp>
#include <weft/store/service/assistant_registry.hpp>
#include <weft/store/service_store.hpp>

#include <map>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::serve_detail {

/** What a loop has in common with the other loops of its server; nothing, if it is the only one. */
struct loop_share {
    std::shared_ptr<loop_relay> relay = {};
    std::shared_ptr<caller_gate> gate = {};
    std::size_t index = 0;  ///< Of the loop.
};

/** What the parts of a server share: stores, graphs, the engine, the feeds of its runs.
 *
 *  @par Thread safety   None: it belongs to one loop. */
struct serve_core {
    serve_core(serial_loop& loop, server_stores stores, std::vector<served_graph> graphs, server_options options,
               loop_share share);
    serve_core(const serve_core&) = delete;
    serve_core& operator=(const serve_core&) = delete;

    /** The graph of a name, with the set that it is in; null if there is none. */
    [[nodiscard]] std::shared_ptr<const hosted_graph> find_graph(std::string_view name) const noexcept;
    /** Takes other graphs and entries in the place of those that it has. Runs under way keep theirs; so do threads
     *  that wait where the new graph has no place for them.
     *  @par Errors   Those of `engine_graphs`; then nothing has changed. */
    void use(std::shared_ptr<const served_set> next);
    /** A new id. */
    template <class Id>
    [[nodiscard]] Id next_id()
    {
        return ids.next<Id>();
    }
    void tell_error(std::string_view where, std::string_view what) const;

    serial_loop& loop;
    const std::size_t index;  ///< Of the loop among those of the server.
    const server_stores stores;
    const server_options options;
    std::shared_ptr<const served_set> served;  ///< What awaits anything has its own copy.
    std::shared_ptr<const durable_graphs> of_engine;  ///< The same for the engine, with former revisions.
    id_source ids;
    feed_table feeds;
    tape_table tapes;
    run_news news;
    log_follower follower;
    assistant_registry assistants;
    std::set<std::string, std::less<>> tenants;  ///< Whose assistants are there.
    std::map<std::string, std::string, std::less<>> assistant_ids;  ///< Of graphs, by name.
    access_control access;
    std::unique_ptr<timed_store> timed;  ///< Before the store of the engine; null: nothing counts.
    durable_engine engine;
    scope* background = nullptr;  ///< For runs, which no connection owns; while the server runs.
    run_end_watcher* ends = nullptr;  ///< Told when runs with a webhook are over; null: nothing is.
    bool is_draining = false;
    /** Assistants that were found, by tenant and id. */
    std::map<std::pair<std::string, std::string>, std::shared_ptr<const found_assistant>> known_assistants;
};

}  // namespace weft::serve_detail
