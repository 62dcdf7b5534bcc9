#pragma once

#include "fleet_course.hpp"

#include "durable/ledger.hpp"
#include "serve/chaos/stream_client.hpp"

#include <weft/async/task.hpp>
#include <weft/base/error.hpp>
#include <weft/base/random.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/store/postgres_store.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fleet_chaos {

/** The clients of a fleet: of two tenants that follow their runs at the servers, and of one that enters more than there
 *  are places for. They see no more of the trouble than lost connections and refusals. */
class fleet_clients {
public:
    /** All outlive it. @param is_calm  The trouble is over: what was begun comes to its end. */
    fleet_clients(const fleet_course& course, weft::postgres_store& store, const std::vector<std::uint16_t>& ports,
                  const std::string& ledger, const std::atomic<bool>& is_calm);

    /** Until all runs are over. */
    [[nodiscard]] weft::task<void> run();

    [[nodiscard]] const std::vector<weft::thread_key>& threads() const noexcept { return threads_; }
    [[nodiscard]] std::vector<std::string>& wrong() noexcept { return wrong_; }
    [[nodiscard]] std::string text() const;

private:
    [[nodiscard]] weft::task<void> follow_runs(std::size_t client);
    [[nodiscard]] weft::task<void> crowd();
    [[nodiscard]] weft::task<weft::run_id> enter(weft::thread_key thread);
    [[nodiscard]] weft::task<void> follow(weft::thread_key thread, weft::run_id run, stream_chaos::followed& into);
    [[nodiscard]] weft::task<void> judge(weft::thread_key thread, weft::run_id run, stream_chaos::followed seen);
    [[nodiscard]] weft::task<std::size_t> unfinished(std::string tenant);

    void note_refusal(const weft::error& why);

    const fleet_course& course_;
    weft::postgres_store& store_;
    const std::vector<std::uint16_t>& ports_;
    weft_tests::ledger ledger_;
    const std::atomic<bool>& is_calm_;
    weft::random_source random_;
    weft::id_source ids_;
    std::vector<weft::thread_key> threads_;
    std::vector<std::string> wrong_;
    std::size_t followed_ = 0;
    std::size_t joins_ = 0;
    std::size_t repeated_ = 0;
    std::size_t without_room_ = 0;
};

}  // namespace fleet_chaos
