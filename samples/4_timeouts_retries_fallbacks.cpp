// Sample 4, timeouts, retries and fallbacks: what a graph does when the world says no.

#include <weft/weft.hpp>

#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>

using namespace std::chrono_literals;

inline constexpr weft::state_key<std::string> answer{"answer"};

// A model that never answers.
weft::task<void> ask_large_model(weft::node_context& ctx)
{
    co_await weft::sleep_for(1h);
    ctx.set(answer, "a long answer");
}

// [attempts]
// A model that is overloaded at first. A node says no by throwing. Each attempt begins afresh: what
// a failed one wrote is gone, and `attempt()` and `previous_failure()` tell the next one what it
// needs to know.
weft::task<void> ask_small_model(weft::node_context& ctx)
{
    ctx.set(answer, "half an ans");
    co_await weft::sleep_for(1ms);
    if (ctx.attempt() < 3) throw std::runtime_error{"the model is overloaded"};
    ctx.set(answer, "a short answer, at attempt " + std::to_string(ctx.attempt()));
}
// [/attempts]

// Comes after the small model has failed for good.
void apologise(weft::node_context& ctx)
{
    ctx.set(answer, "No answer today: " + ctx.previous_failure()->message);
}

// [policies]
weft::graph make_graph(int attempts)
{
    return weft::graph_builder{"robust"}
        .state(answer)
        // The timeout is for one attempt. A coroutine that runs into it is stopped where it waits.
        .node("large_model", ask_large_model, {.timeout = 20ms})
        // The pause before a retry doubles each time, and is random up to that, so that many
        // clients spread out.
        .node("small_model", ask_small_model,
              {.retry = {.attempts_max = attempts, .initial = 2ms, .delay_max = 1s}})
        .node("apologise", apologise)
        .edge(weft::start, "large_model")
        .edge("large_model", weft::end)
        .edge_on_failure("large_model", "small_model")  // taken when the attempts are spent
        .edge("small_model", weft::end)
        .edge_on_failure("small_model", "apologise")
        .edge("apologise", weft::end)
        .build();
}
// [/policies]

bool run(int attempts)
{
    const weft::graph graph = make_graph(attempts);

    // [watch]
    // Every step of a run is an event; a watcher costs nothing when there is none.
    const auto print_trouble = [](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::node_failed)
            std::cout << "  " << event.text << '\n';
    };
    // The deadline of the whole run bounds whatever nodes, retries and fallbacks do together.
    const weft::run_result result = weft::run_blocking(
        graph,
        weft::run_request{}.on_event(print_trouble).options(weft::run_options{}.elapsed_max(10s)));
    // [/watch]

    std::cout << result.message() << ", quality " << name_of(result.quality) << ", retries "
              << result.retries << ": " << result.get(answer) << '\n';
    return result.ok() &&
           result.quality == weft::run_quality::degraded;
}

int main()
{
    const bool with_patience = run(3);
    const bool without = run(1);
    return with_patience && without ? 0 : 1;
}
