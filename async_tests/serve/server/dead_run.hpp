#pragma once

#include <weft/async/sleep.hpp>
#include <weft/base/random.hpp>
#include <weft/store/memory_store.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

/** A run of a worker that was lost while it had it, and that may cost one only. */
inline weft::task<std::string> make_dead(weft::memory_store& store, std::string tenant, std::string thread)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::id_source ids{loop.clock(), loop.random()};
    weft::new_run run{weft::thread_key{std::move(thread), std::move(tenant)}, ids.next<weft::run_id>()};
    run.graph_named("asking").with_attempts_max(1).with_input(R"({"anew":true})");
    const std::string id = run.id.text();
    static_cast<void>(co_await store.enqueue(std::move(run)));
    // A busy machine may take longer than the lease to come from one call to the next.
    bool is_claimed = false;
    while (!is_claimed) {
        const weft::worker_id worker = co_await store.enter("lost", std::chrono::milliseconds{1});
        const std::vector<weft::run_claim> claims = co_await store.claim(worker, 1);
        is_claimed = !claims.empty();
    }
    co_await weft::sleep_for(std::chrono::milliseconds{5});
    static_cast<void>(co_await store.reap(10));
    co_return id;
}
