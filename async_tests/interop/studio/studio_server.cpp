// The server that a browser looks at in the test interop.studio: graphs that branch, stream, ask, fail, loop and write
// what no page may take for markup.
// usage: studio_server <port> [<loops> <file of SQLite>]

#include "../../serve/studio/looked_at_text.hpp"
#include "../interop_server.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/json/json_schema_of.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/store/sqlite_store.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using weft::graph;
using weft::graph_builder;
using weft::node_context;

inline constexpr weft::state_key<std::string> topic{"topic"};
inline constexpr weft::state_key<int> pace_ms{"pace_ms"};
inline constexpr weft::state_key<std::string> gate{"gate"};
inline constexpr weft::state_key<std::vector<std::string>, weft::append> findings{"findings"};
inline constexpr weft::state_key<std::string> report{"report"};
inline constexpr weft::state_key<std::string> decision{"decision"};
inline constexpr weft::state_key<int> rounds{"rounds"};
inline constexpr weft::state_key<int> count{"count"};
inline constexpr weft::state_key<int> pieces{"pieces"};
inline constexpr weft::state_key<std::int64_t> distance{"distance"};
inline constexpr weft::state_key<std::vector<weft::message>, weft::append> messages{"messages"};

constexpr const char* hostile = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>";

std::chrono::milliseconds pace_of(node_context& ctx)
{
    const int* const given = ctx.find(pace_ms);
    return std::chrono::milliseconds{given ? *given : 5};
}

/** Gates that a run of the graph `gatekeeper` has opened. All runs are on one loop. */
std::set<std::string, std::less<>>& open_gates()
{
    static std::set<std::string, std::less<>> gates;
    return gates;
}

/** Waits until the test lets the run go on: what is seen of a run at work then takes no luck. */
weft::task<void> pass_gate(node_context& ctx)
{
    const std::string* const name = ctx.find(gate);
    while (name && !open_gates().contains(*name)) co_await weft::sleep_for(5ms);
}

graph gatekeeper_graph()
{
    return graph_builder{"gatekeeper"}
        .state(gate)
        .node("open", [](node_context& ctx) { open_gates().insert(ctx.get(gate)); })
        .edge(weft::start, "open")
        .build();
}

/** Streams a text word by word, as models do, with what they used and the tools that they call. */
weft::task<void> speak(node_context& ctx, std::string text)
{
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size() - 1) + 1;
        ctx.emit("output", text.substr(begin, end - begin));
        begin = end;
        co_await weft::sleep_for(pace_of(ctx));
    }
    ctx.emit("usage", R"({"input":812,"output":64,"cost_usd_micros":1900})");
}

void plan(node_context& ctx) { ctx.set(rounds, 1); }

weft::task<void> search(node_context& ctx)
{
    const std::string where{ctx.node()};
    ctx.emit("tool_start", R"({"id":"c1","name":"search","arguments":{"query":"rain in Lisbon"}})");
    co_await pass_gate(ctx);
    co_await weft::sleep_for(4 * pace_of(ctx));
    ctx.emit("tool_end", R"({"id":"c1","name":"search","result":"3 pages"})");
    std::string text = "What " + where + " says about " + ctx.get(topic) + ": it rains in autumn, and umbrellas sell.";
    co_await speak(ctx, std::move(text));
    ctx.set(findings, where + " found three pages");
}

weft::task<void> outline(node_context& ctx)
{
    co_await speak(ctx, "First the rain, then the umbrellas.");
}

weft::task<void> polish(node_context& ctx)
{
    co_await speak(ctx, "A shorter sentence is a better one.");
    ctx.set(report, "Rain sells umbrellas: " + ctx.get(topic));
}

weft::task<void> review(node_context& ctx)
{
    weft::question asked = weft::question::approval("Publish the report on " + ctx.get(topic) + "?");
    const bool answer = co_await ctx.ask<bool>(std::move(asked));
    ctx.set(decision, answer ? "published" : "dropped");
}

graph research_graph()
{
    graph writing = graph_builder{"writing"}
                        .state(topic, report, pace_ms)
                        .node("outline", outline)
                        .node("polish", polish)
                        .edge(weft::start, "outline")
                        .edge("outline", "polish")
                        .edge("polish", weft::end)
                        .build();
    return graph_builder{"research"}
        .describe("Looks a topic up in three places at once, writes a report and asks before it is published")
        .state(topic, findings, report, decision, rounds, pace_ms, gate)
        .node("plan", plan, {.description = "Says what to look for"})
        .node("web", search)
        .node("papers", search)
        .node("news", search)
        .node("write", weft::subgraph{.graph = std::move(writing)})
        .node("review", review, {.description = "A person decides"})
        .edge(weft::start, "plan")
        .edge("plan", "web")
        .edge("plan", "papers")
        .edge("plan", "news")
        .edge("web", "write")
        .edge("papers", "write")
        .edge("news", "write")
        .edge("write", "review")
        .edge("review", weft::end)
        .build();
}

weft::task<void> fill_form(node_context& ctx)
{
    weft::question asked{"Who travels, and where to?", weft::question_kind::multi_field};
    asked.fields = {weft::question_field{"name", "The name in the passport"},
                    weft::question_field{"nights", "How many nights", weft::json_schema_of<int>()}};
    const boost::json::value answer = co_await ctx.interrupt(std::move(asked));
    ctx.set(report, boost::json::serialize(answer));
    weft::question which = weft::question::selection("Which room?", {"small", "large", "with a view"});
    const std::string room = co_await ctx.ask<std::string>(std::move(which));
    ctx.set(decision, room);
}

graph booking_graph()
{
    return graph_builder{"booking"}
        .state(topic, report, decision)
        .node("ask", fill_form)
        .edge(weft::start, "ask")
        .build();
}

graph failing_graph()
{
    const weft::node_options twice{.retry = {.attempts_max = 2, .initial = 1ms}};
    return graph_builder{"failing"}
        .state(topic)
        .node("break", [](node_context&) { throw std::runtime_error{"the printer is on fire"}; }, twice)
        .edge(weft::start, "break")
        .build();
}

weft::task<void> misbehave(node_context& ctx)
{
    co_await speak(ctx, hostile);
    ctx.emit("model_request", R"({"number":1,"asked":"m","messages":[{"role":"system","content":"<i>Brief</i>"}]})");
    ctx.emit("model_request", R"({"number":2,"of":1,"asked":"m","messages":[{"same":1},{"content":"?"}]})");
    ctx.emit("model_reply", R"({"of":2,"message":{"role":"assistant","content":"No."},"stop":"stop"})");
    ctx.emit("tool_start", R"json({"name":"<b onmouseover=alert(1)>","arguments":"javascript:alert(1)"})json");
    ctx.set(report, std::string{hostile} + "\x1b[31m red \u202E reversed");
    ctx.set(messages, weft::message::assistant(hostile));
    ctx.set(distance, std::int64_t{9'007'199'254'740'993});  // no number of JavaScript
}

graph hostile_graph()
{
    return graph_builder{"hostile"}
        .describe(hostile)
        .state(topic, report, messages, pace_ms, distance)
        .node("<img src=x>", misbehave, {.description = hostile})
        .edge(weft::start, "<img src=x>")
        .build();
}

weft::task<void> pour(node_context& ctx)
{
    constexpr int piece = 200;  // then others have their turn
    for (int i = 0; i < ctx.get(count); ++i) {
        ctx.emit("output", "word" + std::to_string(i) + ' ');
        if (i % piece == piece - 1) co_await weft::sleep_for(1ms);
    }
}

graph crowd_graph()
{
    return graph_builder{"crowd"}.state(count).node("pour", pour).edge(weft::start, "pour").build();
}

/** A visit of many, with tools and a text of `pieces` pieces of 13 words. `pace_ms` is the time of ten pieces. */
weft::task<void> grind(node_context& ctx)
{
    const int* const before = ctx.find(rounds);
    const int round = before ? *before : 0;
    constexpr int tools = 4;
    for (int i = 0; i < tools; ++i) {
        ctx.emit("tool_start", R"({"id":"c1","name":"search","arguments":{"query":"rain in Lisbon"}})");
        ctx.emit("tool_end", R"({"id":"c1","name":"search","result":"3 pages"})");
    }
    constexpr int at_once = 10;
    for (int i = 0; i < ctx.get(pieces); ++i) {
        ctx.emit("output", "It rains in autumn, and so people of the town like to buy umbrellas. ");
        if (i % at_once == at_once - 1) co_await weft::sleep_for(pace_of(ctx));
    }
    ctx.emit("usage", R"({"input":812,"output":689,"cost_usd_micros":1900})");
    ctx.set(rounds, round + 1);
}

bool has_more_rounds(const weft::state_view& state) { return state.get(rounds) < state.get(count); }

graph mill_graph()
{
    return graph_builder{"mill"}
        .state(count, pieces, pace_ms, rounds)
        .node("grind", grind)
        .edge(weft::start, "grind")
        .edge_when("grind", "grind", has_more_rounds)
        .edge("grind", weft::end)
        .build();
}

constexpr const char* asking_file = R"({
  "name": "asking",
  "state": [{"name": "name", "type": "string"}],
  "nodes": [{"name": "ask", "kind": "function"}],
  "edges": [{"from": "__start__", "to": "ask"}]
})";

/** Of a shape that no layout is quick with. */
graph maze_graph()
{
    graph_builder maze{"maze"};
    maze.state(topic);
    constexpr int nodes = 1'000;
    const auto name = [](int i) { return "n" + std::to_string(i); };
    std::minstd_rand dice{7};
    for (int i = 0; i < nodes; ++i) maze.node(name(i), [](node_context&) {});
    maze.edge(weft::start, name(0));
    for (int i = 1; i < nodes; ++i) maze.edge(name(static_cast<int>(dice() % static_cast<unsigned>(i))), name(i));
    for (int from = 0; from < nodes - 1; from += 2)
        maze.edge_on_failure(
            name(from), name(from + 1 + static_cast<int>(dice() % static_cast<unsigned>(nodes - 1 - from))));
    return maze.build();
}

}  // namespace

int main(int argc, char** argv)
{
    std::vector<weft::served_graph> graphs{research_graph(), booking_graph(), failing_graph(),    hostile_graph(),
                                           crowd_graph(),    maze_graph(),    gatekeeper_graph(), mill_graph(),
                                           served_with_file(asking_file)};
    weft::server_options options;
    options.shows_studio = true;
    if (argc < 4) return serve_until_stopped(argc, argv, std::move(graphs), std::move(options));
    const auto store = weft::run_blocking(weft::sqlite_store::open(weft::sqlite_options{argv[3]}));
    options.runs.lifetime = 1s;  // what a killed process had in hand goes on soon
    options.runs.heartbeat_every = 200ms;
    return serve_until_stopped(argc, argv, std::move(graphs), std::move(options),
                               weft::server_stores{*store, store.get()});
}
