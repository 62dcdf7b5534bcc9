// Sample 5, cancel: a run is stopped from another OS thread. What was half done is kept, who does
// not stop is named.

#include <weft/weft.hpp>

#include <array>
#include <chrono>
#include <coroutine>
#include <iostream>
#include <semaphore>
#include <stop_token>
#include <string>
#include <thread>

using namespace std::chrono_literals;

inline constexpr weft::state_key<std::string, weft::append> story{"story"};
inline constexpr std::array words{"Once ", "upon ", "a ", "time"};

// [publish]
// Tells a story word by word, as a model does, and then falls silent. A stop ends the wait at once,
// by an exception: the coroutine unwinds, destructors run, nothing has to be polled. Of the writes
// of a stopped node those are kept that it published.
weft::task<void> tell_story(weft::node_context& ctx)
{
    for (const char* word : words) {
        ctx.publish(story, word);
        ctx.emit(word);
        co_await weft::sleep_for(1ms);
    }
    co_await weft::sleep_for(1h);
}
// [/publish]

// [stubborn]
// Waits for something that knows nothing of stops. It cannot hold the run up: after a grace period
// its coroutine is destroyed where it waits, and the result names it.
weft::task<void> wait_regardless(weft::node_context&) { co_await std::suspend_always(); }
// [/stubborn]

weft::graph make_graph()
{
    return weft::graph_builder{"cancel"}
        .state(story)
        .node("tell_story", tell_story)
        .node("wait_regardless", wait_regardless)
        .edge(weft::start, "tell_story")
        .edge(weft::start, "wait_regardless")
        .build();
}

int main()
{
    const weft::graph graph = make_graph();

    // [stop]
    std::stop_source stop;
    std::counting_semaphore<> heard{0};

    // A listener on another OS thread that has heard enough after four words.
    std::jthread listener{[&] {
        for (std::size_t i = 0; i < words.size(); ++i) heard.acquire();
        stop.request_stop();
    }};

    const auto listen = [&](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::output) heard.release();
    };
    const weft::run_result result =
        weft::run_blocking(graph, weft::run_request{}
                                      .on_event(listen)
                                      .stop(stop.get_token())
                                      .options(weft::run_options{}.stop_grace(20ms)));
    // [/stop]

    std::cout << result.message() << ". Told so far: " << result.get(story) << '\n';
    for (std::string_view node : result.resume_from)
        std::cout << "  not finished: " << node << '\n';
    for (const std::string& node : result.unresponsive)
        std::cout << "  did not stop: " << node << '\n';
    return result.status == weft::run_status::cancelled && result.unresponsive.size() == 1 ? 0 : 1;
}
