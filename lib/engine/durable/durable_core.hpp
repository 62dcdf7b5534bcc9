#pragma once

#include "engine/worker/change_signal.hpp"
#include "engine/worker/claim_table.hpp"
#include "engine/worker/held_runs.hpp"
#include "engine/worker/patient_store.hpp"
#include "engine/worker/run_places.hpp"
#include "engine/worker/worker_lease.hpp"

#include <weft/base/clock.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/engine/durable/durable_graphs.hpp>
#include <weft/engine/durable_options.hpp>
#include <weft/store/checkpoint_store.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace weft {

/** What the classes that a durable engine is made of share: its store, the graphs it knows, and what it holds.
 *
 *  @par Thread safety   None, except where `worker_lease` says so.
 *  @par Lifetimes       The store outlives it, and it the classes that refer to it.
 */
struct durable_core {
    durable_core(checkpoint_store& store, std::shared_ptr<const durable_graphs> graphs, durable_options options)
        : store{store}, graphs{std::move(graphs)}, options{std::move(options)}
    {
    }
    durable_core(const durable_core&) = delete;
    durable_core& operator=(const durable_core&) = delete;

    /** How long to wait until it is time to look what has happened unheard. */
    [[nodiscard]] std::chrono::milliseconds look_every() const
    {
        const store_news* const news = store.news();
        if (!news || !news->is_complete()) return options.poll_every;
        return std::max(options.poll_every, options.poll_every_with_news);
    }
    /** How many more runs this process may perform; one that is parked takes no place. */
    [[nodiscard]] std::size_t free_places() const
    {
        return places.free(options.performed_max ? runs->parked() : 0);
    }
    /** How the store's news call a thread; 0 if it has none. */
    [[nodiscard]] std::uint64_t news_name(const thread_key& thread) const
    {
        const store_news* const news = store.news();
        return news ? news->name_of(thread) : 0;
    }

    /** Whether events of runs come into the log while their nodes are still at it. */
    [[nodiscard]] bool streams_events() const
    {
        const store_news* const news = store.news();
        const bool is_followed = options.streaming.in_one_process || (news && news->reaches_others());
        return options.event_log && options.streaming.every.count() > 0 && is_followed;
    }

    checkpoint_store& store;
    std::shared_ptr<const durable_graphs> graphs;  ///< May be replaced: what awaits anything has its own copy.
    const durable_options options;
    /** Shared with the savers of runs, which may outlive the engine. */
    const std::shared_ptr<change_signal> changes = std::make_shared<change_signal>();
    const std::shared_ptr<held_runs> runs = std::make_shared<held_runs>();
    run_places places{options.performed_max};
    worker_lease lease{store, options, *changes};
    claim_table claims{store, lease, options, *changes};
    const patient_store patient{store, lease};
    std::optional<id_source> ids;  ///< Since `open`, which says by which clock.
    std::optional<time_point> looked_at;  ///< When the store last answered the worker loop's look for work.
    bool is_draining = false;
};

}  // namespace weft
