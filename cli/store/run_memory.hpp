#pragma once

#include "store_place.hpp"

#include <weft/graph/node/node_cache.hpp>
#include <weft/store/item_space.hpp>

#include <memory>
#include <optional>
#include <string>

namespace weft_cli {

/** What outlives a run beside its thread: the memory of its nodes, and results of nodes that are cached. They lie in
 *  the namespaces `memory`, `node cache` and `documents` of the tenant: in the store that --memory names, else in that
 *  of the thread, else only in this process.
 *
 *  The store is opened when the run begins; what is made of it before works from then on. */
class run_memory {
public:
    /** @param args     Of the run; their `store` is that of --memory, empty without it.
     *  @param outlives Whether there is a store at all.
     *  @par Errors     `usage_error`: it is neither a file nor an address of PostgreSQL. */
    run_memory(const store_args& args, bool outlives);

    [[nodiscard]] const std::shared_ptr<const weft::item_space>& space() const noexcept { return space_; }
    /** Where documents are found by meaning; `weft index` puts them there. */
    [[nodiscard]] weft::item_space documents() const;
    /** Nothing if no result would outlive the program. */
    [[nodiscard]] const std::optional<weft::node_cache>& cache() const noexcept { return cache_; }

    /** @param thread_items   Of the store that keeps the thread, at `thread_place`; null without a thread.
     *  @par Errors           Those of `open_store`. */
    [[nodiscard]] weft::task<void> open(std::shared_ptr<weft::item_store> thread_items,
                                        const store_place& thread_place);
    /** The run is over. On the loop that opened it. */
    void close() noexcept;

private:
    class items_to_come;

    std::string tenant_;
    std::optional<store_place> place_;
    std::shared_ptr<items_to_come> items_;
    std::shared_ptr<const weft::item_space> space_;
    std::optional<weft::node_cache> cache_;
};

}  // namespace weft_cli
