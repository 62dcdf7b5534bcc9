#pragma once

#include <weft/async/scope.hpp>
#include <weft/async/signal.hpp>
#include <weft/async/task.hpp>
#include <weft/model/chat_sink.hpp>

#include <utility>

namespace weft_bench {

/** How many connections are opened at once: the line of a listening socket is only so long. */
inline constexpr int opened_at_once = 250;

/** How many streams have begun to answer. */
struct opening_watch {
    int begun = 0;
    weft::signal changed;

    void began()
    {
        ++begun;
        changed.notify();
    }
};

/** Tells the watch of the first text. */
class opening_sink final : public weft::chat_sink {
public:
    explicit opening_sink(opening_watch& watch) : watch_{watch} {}
    void on_text(std::string_view) override
    {
        if (!std::exchange(has_begun_, true)) watch_.began();
    }

private:
    opening_watch& watch_;
    bool has_begun_ = false;
};

/** Starts streams in small groups, and waits until all of them have begun.
 *  @param make   Makes the task of a stream. */
template <class Make>
weft::task<void> open_streams(weft::scope* children, opening_watch* watch, int streams, Make make)
{
    for (int opened = 0; opened < streams; ++opened) {
        children->spawn(make());
        while (opened + 1 - watch->begun >= opened_at_once) co_await watch->changed.wait();
    }
    while (watch->begun < streams) co_await watch->changed.wait();
}

}  // namespace weft_bench
