#pragma once

#include <weft/agent/host/execution_stream.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/task.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/engine/run_result.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft_tests {

/** Stands in for an engine: notes when runs begin and end, in words. The thread of a request says what its run does. */
struct fake_runs {
    std::vector<std::string> log{};
    int at_once = 0;
    int most_at_once = 0;
    int failures_left = 0;                          ///< So many runs fail first.
    std::string failure = "model overloaded";
    std::chrono::nanoseconds time = std::chrono::seconds{10};
    std::chrono::nanoseconds stop_time = std::chrono::milliseconds{500};  ///< How long a stopped run takes to end.

    [[nodiscard]] std::string text() const
    {
        std::string all;
        for (const std::string& one : log) all.append(all.empty() ? "" : ", ").append(one);
        return all;
    }
};

/** Counts a run while it lives. */
struct counted_run {
    explicit counted_run(fake_runs& of) : of{of}
    {
        of.most_at_once = std::max(of.most_at_once, ++of.at_once);
    }
    ~counted_run() { --of.at_once; }
    counted_run(const counted_run&) = delete;
    counted_run& operator=(const counted_run&) = delete;
    fake_runs& of;
};

inline weft::task<weft::run_result> run_fake(fake_runs& runs, weft::run_request request)
{
    const counted_run counted{runs};
    const std::string thread = request.thread();
    runs.log.push_back("begin " + thread);
    bool is_stopped = false;
    try {
        co_await weft::sleep_for(runs.time);
    } catch (const weft::error&) {
        is_stopped = true;
    }
    if (is_stopped) {
        weft::task<void> winding_down = [](std::chrono::nanoseconds time) -> weft::task<void> {
            co_await weft::sleep_for(time);
        }(runs.stop_time);
        co_await weft::shielded(std::move(winding_down), std::chrono::seconds{60});
    }
    weft::run_result result;
    result.status = is_stopped ? weft::run_status::cancelled : weft::run_status::finished;
    if (!is_stopped && runs.failures_left > 0) {
        --runs.failures_left;
        result.status = weft::run_status::failed;
        weft::failure why;
        why.code = weft::errc::model_overloaded;
        why.message = runs.failure;
        result.why = std::make_shared<const weft::failure>(std::move(why));
    }
    runs.log.push_back(std::string{weft::name_of(result.status)} + " " + thread);
    co_return result;
}

inline weft::execution_stream::runner runs_of(fake_runs& runs)
{
    return [&runs](weft::run_request request) { return run_fake(runs, std::move(request)); };
}

}  // namespace weft_tests
