#pragma once

#include "durable_cases.hpp"

#include <string>
#include <utility>

namespace weft_tests {

/** Runs a request and puts down what became of it: the status, or the error. */
inline weft::task<void> tell_end_of(weft::durable_engine& with, weft::durable_request request, std::string& into)
{
    try {
        const weft::run_result result = co_await with.run(std::move(request));
        into = name_of(result.status);
        if (result.status == weft::run_status::finished) into += " " + std::to_string(result.state.get(total));
        if (result.why) into += " " + std::string{name_of(result.why->code)};
    } catch (const weft::error& e) {
        into = name_of(e.code());
    }
}

inline weft::task<void> work_into(weft::durable_engine& with, bool& has_ended)
{
    co_await with.work();
    has_ended = true;
}

/** A run that no worker has. */
[[nodiscard]] inline weft::new_run some_run(std::string thread, weft::serial_loop& loop)
{
    weft::id_source ids{loop.clock(), loop.random()};
    weft::new_run run{weft::thread_key{std::move(thread)}, ids.next<weft::run_id>()};
    run.graph_named("chain");
    return run;
}

}  // namespace weft_tests
