// Each marked line has one mistake. WEFT_MISTAKES = 0 leaves them out. See mistakes.sh.
#include <weft/async/use_task.hpp>
#include <weft/graph/graph_builder.hpp>

#include <boost/asio/deferred.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#if WEFT_MISTAKES
#define WEFT_MISTAKE(...) __VA_ARGS__
#else
#define WEFT_MISTAKE(...) static_cast<void>(0)
#endif

// With g++ 12 and 13 a task has no await_transform (docs/COMPILERS.md), and they say it in their own words.
#if defined(__clang__) || __GNUC__ >= 14
#define WEFT_AWAIT_MISTAKE(...) WEFT_MISTAKE(__VA_ARGS__)
#else
#define WEFT_AWAIT_MISTAKE(...) static_cast<void>(0)
#endif

inline constexpr weft::state_key<std::int64_t> number{"number"};

struct no_json {};

weft::task<std::string> gives_text(weft::node_context&) { co_return "text"; }

weft::task<void> waits(boost::asio::steady_timer& timer)
{
    WEFT_AWAIT_MISTAKE(co_await timer.async_wait(boost::asio::use_awaitable));
    WEFT_AWAIT_MISTAKE(co_await timer.async_wait(boost::asio::deferred));
    co_await timer.async_wait(weft::use_task);
}

void build(weft::graph_builder& builder)
{
    WEFT_MISTAKE(builder.node("a", [](weft::node_context&) { return 1; }));
    WEFT_MISTAKE(builder.node("a", gives_text));
    WEFT_MISTAKE(builder.node("a", [](weft::node_context) {}));
    WEFT_MISTAKE(builder.node("a", [](weft::node_context&, int) {}));
    WEFT_MISTAKE(builder.edge_when("a", "b", [](const weft::node_context&) { return true; }));
    WEFT_MISTAKE(builder.node("a", [](weft::node_context& context) { context.set(number, std::string{}); }));
    WEFT_MISTAKE(builder.state(weft::state_key<no_json>{"key"}));
}
