#pragma once

#include <weft/async/task.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/store/checkpoint_store.hpp>
#include <weft/store/service/thread_lifetime_table.hpp>
#include <weft/store/service_store.hpp>

#include <cstddef>

namespace weft::serve_detail {

/** Ends threads whose time is over: it erases them, or leaves their newest checkpoint, as `thread_lifetime` says. A
 *  thread with a run under way has its turn when that is over.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       What it is made of outlives it. */
class thread_sweeper {
public:
    thread_sweeper(service_store& service, checkpoint_store& runs, durable_engine& engine) noexcept
        : service_{service}, runs_{runs}, engine_{engine}
    {
    }

    /** @return  How many it has looked at; at most `count_max`. @par Errors  Those of stores. */
    [[nodiscard]] task<std::size_t> sweep(std::size_t count_max);

private:
    [[nodiscard]] task<void> end(thread_lifetime which);

    service_store& service_;
    checkpoint_store& runs_;
    durable_engine& engine_;
};

}  // namespace weft::serve_detail
