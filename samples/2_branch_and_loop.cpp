// Sample 2, branch and loop: conditions choose between edges, and an edge may lead back. It draws what happened.

#include <weft/engine/trace/run_overlay_recorder.hpp>
#include <weft/graph/drawing.hpp>
#include <weft/weft.hpp>

#include <cstdint>
#include <iostream>
#include <string>
#include <utility>

inline constexpr weft::state_key<std::string> question{"question"};
inline constexpr weft::state_key<std::string> answer{"answer"};
inline constexpr weft::state_key<std::int64_t> round_count{"round_count"};
inline constexpr weft::state_key<std::int64_t> score{"score"};

// A node that returns state instead of writing it is easy to test: it is a function from values to
// values.
weft::state_update answer_at_once() { return weft::state_update{}.set(answer, "Yes."); }

// [loop]
// `visit()` says how often the run has come to this node.
void draft(weft::node_context& ctx)
{
    ctx.set(round_count, ctx.visit());
    ctx.set(answer, "Draft " + std::to_string(ctx.visit()) + " on: " + ctx.get(question));
}

// A real judge asks a model. This one likes every draft better than the one before.
void judge(weft::node_context& ctx) { ctx.set(score, 4 + 2 * ctx.get(round_count)); }

// Every loop wants a bound. Beside this one, `run_options::steps_max` ends a run that goes round
// for ever.
bool is_done(const weft::state_view& state)
{
    return state.get(score) >= 8 || state.get(round_count) >= 5;
}
// [/loop]

// [edges]
bool is_short(const weft::state_view& state) { return state.get(question).size() < 20; }

weft::graph make_graph()
{
    return weft::graph_builder{"branch_and_loop"}
        .state(question, answer, round_count, score)
        .node("triage", [] {})  // decides nothing itself: its edges do
        .node("answer_at_once", answer_at_once)
        .node("draft", draft)
        .node("judge", judge)
        .edge(weft::start, "triage")
        // Of a node's conditional edges the first that holds is taken; the plain edge is the
        // "otherwise".
        .edge_when("triage", "answer_at_once", is_short, {.label = "short question"})
        .edge("triage", "draft")
        .edge("draft", "judge")
        .edge_when("judge", weft::end, is_done, {.label = "score >= 8"})
        .edge("judge", "draft")
        .edge("answer_at_once", weft::end)
        .build();
}
// [/edges]

bool ask(const weft::graph& graph, std::string text)
{
    const weft::run_result result = weft::run_blocking(graph, {question, std::move(text)});
    std::cout << result.message() << ':';
    for (std::string_view node : result.path()) std::cout << ' ' << node;
    if (const std::string* said = result.state.find(answer)) std::cout << "\n  " << *said;
    std::cout << '\n';
    return result.ok();
}

// [draw]
/** What a run did, on top of its graph: taken edges are strong, what was not reached is grey. */
std::string draw_run(const weft::graph& graph, std::string text)
{
    weft::run_overlay_recorder recorder{graph};
    const weft::run_result result = weft::run_blocking(
        graph, weft::run_request{}
                   .input(question, std::move(text))
                   .on_event([&recorder](const weft::run_event& event) { recorder.add(event); }));
    return weft::to_mermaid(graph, {.title = result.message(), .overlay = recorder.overlay()});
}
// [/draw]

int main()
{
    const weft::graph graph = make_graph();
    std::cout << graph.explain()
              << '\n';  // the graph as it was understood: for reviews, and when a run surprises

    // One graph serves any number of runs, one after the other or at the same time; each has a
    // state of its own.
    const bool first_went_well = ask(graph, "Is rain wet?");
    const bool second_went_well =
        ask(graph, "Why does it rain more on the western side of a mountain range?");
    std::cout << '\n' << draw_run(graph, "Why is the sky blue in the day and red in the evening?");
    return first_went_well && second_went_well ? 0 : 1;
}
