#include "sim_graphs.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/random.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>

#include <chrono>

namespace server_simulation {

namespace {

using std::chrono::milliseconds;

/** The beginning of the tokens of one execution: an execution that a crash cuts short is followed by another one. */
std::string execution_of(weft::node_context& ctx)
{
    return ctx.get(who) + '/' + std::string{ctx.node()} + '/' + std::to_string(ctx.loop().random().next()) + '/';
}

weft::task<void> talk(weft::node_context& ctx)
{
    const std::string execution = execution_of(ctx);
    const std::uint64_t tokens = 1 + ctx.loop().random().below(3);
    for (std::uint64_t i = 1; i <= tokens; ++i) {
        ctx.emit(execution + std::to_string(i));
        const milliseconds pause{ctx.loop().random().below(8)};
        co_await weft::sleep_for(pause);
    }
    ctx.set(said, ctx.get(who) + ':' + std::string{ctx.node()});
}

weft::task<void> shout(weft::node_context& ctx)
{
    const std::string execution = execution_of(ctx);
    for (int i = 1; i <= loud_tokens; ++i) {
        std::string token = execution + std::to_string(i) + ' ';
        token.resize(loud_token_bytes, '.');
        ctx.emit(token);
        if (i % 40 == 0) co_await weft::sleep_for(milliseconds{1});
    }
    ctx.set(said, ctx.get(who) + ':' + std::string{ctx.node()});
}

}  // namespace

weft::graph talk_graph()
{
    weft::graph_builder builder{"talk"};
    builder.state(who, said);
    std::string before;
    for (int i = 1; i <= talk_steps; ++i) {
        const std::string name = "s" + std::to_string(i);
        builder.node(name, talk);
        if (before.empty()) builder.edge(weft::start, name);
        else builder.edge(before, name);
        before = name;
    }
    return builder.build();
}

weft::graph loud_graph()
{
    return weft::graph_builder{"loud"}.state(who, said).node("shout", shout).edge(weft::start, "shout").build();
}

}  // namespace server_simulation
