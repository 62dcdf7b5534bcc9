#pragma once

#include <weft/async/sleep.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/engine/scheduler/frontier.hpp>
#include <weft/testing/simulation.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace weft_tests {

/** A process that asks for the run. */
[[nodiscard]] inline weft::task<weft::run_result> first_process(
    weft::checkpoint_store& store, std::shared_ptr<const weft::durable_graphs> graphs,
    weft::durable_options options = {}, weft::durable_request request = weft::durable_request{"t"})
{
    weft::durable_engine durable{store, std::move(graphs), std::move(options)};
    co_await durable.open();
    weft::run_result result = co_await durable.run(std::move(request));
    co_return result;
}

/** A process that takes over what others left, until the thread is idle; it asks for the run if they died before
 *  they had entered it. */
[[nodiscard]] inline weft::task<weft::run_result> later_process(
    weft::checkpoint_store& store, std::shared_ptr<const weft::durable_graphs> graphs,
    weft::durable_options options = {}, weft::durable_request request = weft::durable_request{"t"})
{
    weft::durable_engine durable{store, std::move(graphs), std::move(options)};
    co_await durable.open();
    const weft::thread_key key = request.key();
    for (;;) {
        static_cast<void>(co_await durable.recover());
        const std::optional<weft::run_record> active = co_await store.active_run(key);
        if (!active) break;
        co_await weft::sleep_for(std::chrono::seconds{1});
    }
    weft::run_result result{weft::run_status::finished, weft::run_quality::clean};
    const std::vector<weft::checkpoint_info> infos = co_await durable.history(key);
    if (infos.empty()) {
        result = co_await durable.run(std::move(request));
        co_return result;
    }
    const weft::thread_snapshot at = co_await durable.read(key);
    BOOST_REQUIRE((at.info().kind == weft::checkpoint_kind::finish));
    result.state = at.state();
    result.steps = at.where().steps;
    co_return result;
}

/** Lets a process run for so many steps of the simulation, and kills it. @return Its result, if it ended before. */
[[nodiscard]] inline std::optional<weft::run_result> run_for(weft::testing::simulation& sim,
                                                             weft::task<weft::run_result> process, std::size_t steps)
{
    weft::testing::simulation::root<weft::run_result> root{sim, std::move(process)};
    for (std::size_t i = 0; i < steps && !root.has_ended(); ++i) sim.step();
    if (!root.has_ended()) return std::nullopt;
    return root.take();
}

}  // namespace weft_tests
