#pragma once

#include "durable_cases.hpp"

namespace weft_tests {

/** The thread `t` in a store of its own, and a durable engine for a graph, which is not open yet. */
struct durable_trial {
    explicit durable_trial(weft::graph what) : durable{store, graphs_of(std::move(what))} {}

    /** A run of the thread. The trial must outlive it. */
    [[nodiscard]] weft::task<weft::run_result> run() { return durable.run(in_thread(key.thread)); }
    [[nodiscard]] weft::task<weft::run_result> run_once(std::string idempotency_key)
    {
        weft::durable_request request = in_thread(key.thread);
        return durable.run(std::move(request.idempotent(std::move(idempotency_key))));
    }

    weft::memory_store store{test_key()};
    weft::durable_engine durable;
    weft::thread_key key{"t"};
};

}  // namespace weft_tests
