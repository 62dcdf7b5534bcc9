#include "gallery.hpp"

#include <weft/engine/engine.hpp>
#include <weft/engine/trace/run_overlay_recorder.hpp>
#include <weft/graph/graph_builder.hpp>

#include <utility>

namespace weft_tests {

namespace {

bool always(const weft::state_view&) { return true; }
bool never(const weft::state_view&) { return false; }
void nothing() {}

weft::run_overlay run_of(const weft::graph& g)
{
    weft::run_overlay_recorder recorder{g};
    weft::run_options limits;
    limits.steps_max(200);
    (void)weft::run_blocking(g, weft::run_request{}
                                    .options(std::move(limits))
                                    .on_event([&recorder](const weft::run_event& e) { recorder.add(e); }));
    return recorder.overlay();
}

weft::graph checks()
{
    return weft::graph_builder{"checks"}
        .node("grammar", nothing).node("facts", nothing).node("verdict", nothing)
        .edge(weft::start, "grammar").edge(weft::start, "facts")
        .edge("grammar", "verdict").edge("facts", "verdict").edge("verdict", weft::end)
        .fan_out(weft::start, {.on_failure = weft::branch_policy::wait_all})
        .build();
}

}  // namespace

weft::graph research_graph()
{
    weft::graph_builder builder{"parallel_research"};
    builder.node("plan", nothing, {.description = "Splits the topic into three questions."})
        .edge(weft::start, "plan")
        .fan_out("plan", {.on_failure = weft::branch_policy::continue_others});
    for (const char* researcher : {"web", "papers", "data"})
        builder.node(researcher, nothing).edge("plan", researcher).edge(researcher, "write");
    builder.node("write", nothing)
        .node("judge", [](weft::node_context& ctx) {
            return ctx.visit() < 3 ? weft::command::label("again") : weft::command::label("good");
        })
        .edge("write", "judge")
        .edge_label("judge", {{"again", "write"}, {"good", std::string{weft::end}}})
        .edge_on_failure("judge", weft::end);
    return builder.build();
}

weft::graph graph_with_everything()
{
    weft::graph_builder b{"everything"};
    b.node("triage", nothing, {.description = "Decides which way a question goes."})
        .node("quick answer", nothing)
        .node("plan", nothing)
        .node("left", nothing).node("right", nothing)
        .node("right a", nothing).node("right b", nothing)
        .node("flaky", [] { throw weft::error{weft::errc::model_overloaded, "test"}; },
              {.retry = {.attempts_max = 2, .initial = std::chrono::milliseconds{1}}})
        .node("mend", nothing)
        .node("right join", nothing)
        .node("join", nothing)
        .node("review", weft::subgraph{checks()})
        .node("route", [] { return weft::command::go_to("finish"); }, {.goes_to = {"finish", "triage"}})
        .node("finish", nothing)
        .node("report", nothing, {.is_deferred = true});
    b.edge(weft::start, "triage")
        .edge_when("triage", "quick answer", never, {.label = "length < 20"})
        .edge_llm("triage", {"plan", "quick answer"}, {.fallback = "plan"})
        .edge("quick answer", weft::end)
        .edge("plan", "left").edge("plan", "right")
        .edge("right", "right a").edge("right", "right b").edge("right", "flaky")
        .edge("right a", "right join").edge("right b", "right join").edge("flaky", "right join")
        .edge_on_failure("flaky", "mend").edge("mend", "right join")
        .edge("left", "join").edge("right join", "join")
        .fan_out("plan", {.branch_timeout = std::chrono::seconds{90}})
        .fan_out("right", {.on_failure = weft::branch_policy::wait_all, .concurrency_max = 2})
        .edge("join", "review")
        .edge_when("review", "plan", never, {.label = "not good enough"})
        .edge_when("review", "route", always, {.label = "score >= 8"})
        .edge_when("review", "route", never, {.label = "no time left"})
        .edge_always("finish", "report");
    return b.build();
}

const std::vector<std::string>& nasty_names()
{
    static const std::vector<std::string> names = {
        "end", "subgraph", "graph", "flowchart", "style", "class", "click", "default", "node", "edge", "digraph",
        "\"quoted\"", "it's", "a [b] {c} (d) <e>", "<script>alert(1)</script>", "<b>bold</b> & <br/>", "&lt;not&gt;",
        "#quot; #35; &#35;", "back\\slash \\n \\N \\G", "two\nlines", "tab\there",
        "`code` *strong* _em_ __x__", "**a**",
        "1. first", "- dash", "+ plus", "--> --- -.-> ==>", "a|b|c", "%% comment", "; semi; colon: style a:#fff;",
        "classDef x:\"#123;\"", "$$x^2$$", "http://example.com", "~~~ tilde ~", "@{ shape: diamond }", ":::class",
        "héllo wörld", "日本語のノード", "עברית", "😀 emoji 👩‍👩‍👧", "\x01 control \x7f", "bad \xff\xfe utf-8 \xc3",
        "percent % d %s", "{{\"x\"}}", "<![CDATA[ ]]>", "-->", "a/b", "o", "x", "n0", "c0", "true", "null",
        "trailing backslash \\", "//comment", "/*comment*/", "???", "=", "__proto__",
        std::string(300, 'w'), "fetch_weather", "title: \"---\"", "\u202e right to left", "\r\nCRLF",
    };
    return names;
}

weft::graph graph_of_nasty_names()
{
    weft::graph_builder b{"nasty: \"title\" -- # [x] \\ \n---\n<b> end"};
    const auto& names = nasty_names();
    for (std::size_t i = 0; i < names.size(); ++i) {
        b.node(names[i], nothing, {.description = names[names.size() - 1 - i]});
        if (i % 8 == 0)
            b.edge(weft::start, names[i], {.label = names[i]});
        else
            b.edge_when(names[i - 1], names[i], always, {.label = names[i]});
    }
    return b.build();
}

weft::graph large_graph(std::size_t nodes)
{
    weft::graph_builder b{"large"};
    const auto name = [](std::size_t n) { return "step_" + std::to_string(n); };
    b.node(name(0), nothing).edge(weft::start, name(0));
    std::size_t last = 0;
    for (std::size_t n = 1; n + 4 <= nodes; n += 4) {
        for (std::size_t i = 0; i < 3; ++i)
            b.node(name(n + i), nothing).edge(name(last), name(n + i)).edge(name(n + i), name(n + 3));
        b.node(name(n + 3), nothing).edge_when(name(n + 3), name(last), never, {.label = "score < 0.8"});
        last = n + 3;
    }
    b.edge(name(last), weft::end);
    return b.build();
}

weft::graph deep_fan_outs(std::size_t depth)
{
    weft::graph_builder b{"deep"};
    const auto name = [](char kind, std::size_t n) { return kind + std::to_string(n); };
    for (std::size_t n = 0; n < depth; ++n) {
        b.node(name('s', n), nothing).node(name('a', n), nothing).node(name('j', n), nothing);
        b.edge(name('s', n), name('a', n)).edge(name('a', n), name('j', n));
        if (n > 0) b.edge(name('s', n - 1), name('s', n)).edge(name('j', n), name('j', n - 1));
    }
    b.node("core", nothing).edge(name('s', depth - 1), "core").edge("core", name('j', depth - 1));
    b.edge(weft::start, "s0").edge("j0", weft::end);
    return b.build();
}

std::vector<exhibit> gallery()
{
    std::vector<exhibit> all;
    const auto add = [&all](std::string name, weft::graph what) {
        weft::run_overlay ran = run_of(what);
        all.push_back({name, what, std::nullopt});
        all.push_back({name + "_run", std::move(what), std::move(ran)});
    };
    add("research", research_graph());
    add("everything", graph_with_everything());
    add("nasty", graph_of_nasty_names());
    add("deep", deep_fan_outs(6));
    all.push_back({"large", large_graph(1'000), std::nullopt});
    return all;
}

}  // namespace weft_tests
