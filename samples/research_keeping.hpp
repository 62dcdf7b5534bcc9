#pragma once

/** Keeps the demo's run in a file, step by step, so that nothing is lost when its process dies. Used
 *  by parallel_research.cpp. */

#include <weft/base/error.hpp>
#include <weft/engine/checkpoint/checkpoint_outline.hpp>
#include <weft/engine/durable_engine.hpp>
#ifdef WEFT_HAS_SQLITE
#include <weft/store/sqlite_store.hpp>
#endif

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

/** Hears where a thread stands before it goes on. */
using outline_function = std::function<void(const weft::checkpoint_outline& before)>;

inline constexpr std::size_t runs_max = 1'000;  // that a process has left

inline weft::task<std::unique_ptr<weft::checkpoint_store>> open_file(std::string file)
{
#ifdef WEFT_HAS_SQLITE
    std::unique_ptr<weft::checkpoint_store> opened =
        co_await weft::sqlite_store::open(weft::sqlite_options{std::move(file)});
    co_return opened;
#else
    throw weft::error{weft::errc::invalid_configuration, "--store " + file,
                      "this weft was built without SQLite and keeps nothing in files: leave the "
                      "option out, or build weft with SQLite's headers"};
    co_return nullptr;
#endif
}

// [keep]
/** Begins the run of a thread, or goes on with what there is of it. If its process was killed, the
 *  run is there without a worker; if it was stopped, the thread stands before what was not done; if it
 *  has finished, no model is asked again. */
inline weft::task<weft::run_result> go_on(weft::checkpoint_store& store,
                                          weft::durable_engine& durable, weft::run_request request,
                                          outline_function tell)
{
    const weft::thread_key thread{request.thread()};
    co_await store.reap(runs_max);
    const std::optional<weft::run_record> left = co_await store.active_run(thread);
    const std::optional<weft::checkpoint> last = co_await store.load(thread, std::nullopt);
    if (last) {
        const weft::checkpoint_outline before = co_await weft::read_outline(store, thread, *last);
        const bool has_finished = last->kind == weft::checkpoint_kind::finish && last->node.empty();
        if (before.is_unfinished || has_finished) tell(before);  // a run that failed is begun anew
        if (has_finished && !left) {
            const weft::thread_snapshot kept = co_await durable.read(thread);
            weft::run_result result{weft::run_status::finished, weft::run_quality::clean};
            result.state = kept.state();
            co_return result;
        }
    }
    if (!left) co_return co_await durable.run(std::move(request));
    weft::question_answers nobody_asked;
    co_return co_await durable.resume(thread, std::move(nobody_asked), std::move(request));
}

/** Runs a graph in the thread of the request, and keeps it after every step. */
inline weft::task<weft::run_result> keep(std::string file, weft::graph graph,
                                         weft::run_request request, outline_function tell)
{
    const std::unique_ptr<weft::checkpoint_store> store = co_await open_file(std::move(file));
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(std::move(graph));
    weft::durable_engine durable{*store, std::move(graphs)};
    co_await durable.open();
    weft::run_result result = co_await go_on(*store, durable, std::move(request), std::move(tell));
    co_await durable.close();
    co_return result;
}
// [/keep]
