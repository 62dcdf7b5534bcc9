// Sample 8, routing: conditions as text, answers with labels, items sent to a node, a graph within a graph, a goal.

#include <weft/graph/analysis.hpp>
#include <weft/weft.hpp>

#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

inline constexpr weft::state_key<std::string> ticket{"ticket"};
inline constexpr weft::state_key<std::string> category{"category"};
inline constexpr weft::state_key<double> confidence{"confidence"};
inline constexpr weft::state_key<std::string> document{"document"};
inline constexpr weft::state_key<std::vector<std::string>, weft::append> findings{"findings"};
inline constexpr weft::state_key<std::string> answer{"answer"};

// Stands in for a model that says what a ticket is about, and how sure it is of that.
void triage(weft::node_context& ctx)
{
    const bool is_about_money = ctx.get(ticket).find("invoice") != std::string::npos;
    ctx.set(category, is_about_money ? "billing" : "technical");
    ctx.set(confidence, ctx.get(ticket).size() > 15 ? 0.9 : 0.3);
}

// [send]
// A node may ask for a branch for each of any number of items. What an item carries, only its branch sees.
weft::command split(weft::node_context&)
{
    std::vector<weft::send> items;
    for (const char* name : {"manual", "forum", "changelog"})
        items.emplace_back("read").input(document, name);
    return weft::command::fan_out(std::move(items));
}

void read_document(weft::node_context& ctx) { ctx.set(findings, "what the " + ctx.get(document) + " says"); }

// The branches meet behind `read`, however many there are.
weft::graph make_research()
{
    return weft::graph_builder{"research"}
        .state(document, findings)
        .node("split", split, {.goes_to = {"read"}})
        .node("read", read_document)
        .node("collect", [] {})
        .edge(weft::start, "split")
        .edge("read", "collect")
        .fan_out("split", {.concurrency_max = 2})
        .build();
}
// [/send]

// [label]
// A node that answers with a label leaves it to the graph where that leads.
weft::command review(weft::node_context& ctx)
{
    if (ctx.visit() > 2) return weft::command::label("good");
    return weft::command::label(ctx.get(answer).size() > 20 ? "good" : "again");
}
// [/label]

void write_answer(weft::node_context& ctx)
{
    std::string text = "About " + ctx.get(category);
    // On a further visit the node is told what it wrote before, and what to do about it.
    if (const std::string* before = ctx.find_prior(answer)) text = *before + ", in more words";
    ctx.set(answer, std::move(text));
}

void ask_a_person(weft::node_context& ctx) { ctx.set(answer, "A person will look at it."); }

// [routing]
weft::graph make_graph()
{
    const auto has_answer = [](const weft::state_view& state) { return state.find(answer) != nullptr; };
    weft::goal goal{.name = "answered", .description = "Every ticket gets an answer."};
    goal.criteria.push_back({.id = "answer", .is_met = has_answer});

    return weft::graph_builder{"tickets"}
        .goal(std::move(goal))
        .state(ticket, category, confidence, findings, answer)
        .node("triage", triage, {.writes = weft::keys(category, confidence)})
        .node("research", weft::subgraph{make_research()})  // shares the keys that both graphs have
        .node("write", write_answer, {.gives_feedback = true})
        .node("review", review)
        .node("person", ask_a_person, {.faces_client = true})
        .edge(weft::start, "triage")
        // A condition may be a text in a subset of Python. Its mistakes are told when the graph is built.
        .edge_when("triage", "person", "confidence < 0.5")
        .edge_when("triage", "research", "category in ['technical', 'howto']")
        .edge("triage", "write")
        .edge("research", "write")
        .edge("write", "review")
        .edge_label("review", {{"good", std::string{weft::end}}, {"again", "write"}})
        .edge("person", weft::end)
        .build();
}
// [/routing]

bool serve(const weft::graph& graph, std::string text)
{
    const weft::run_result result = weft::run_blocking(graph, {ticket, std::move(text)});
    std::cout << result.message() << ':';
    for (std::string_view node : result.path()) std::cout << ' ' << node;
    if (const std::string* said = result.state.find(answer)) std::cout << "\n  " << *said;
    std::cout << '\n';
    return result.goal && result.goal->is_met;
}

int main()
{
    const weft::graph graph = make_graph();
    // [analysis]
    // What a graph is built with may still not be meant: cycles without a way out, writes that conflict, …
    for (const weft::finding& found : weft::analyse(graph)) std::cout << weft::to_text(found) << '\n';
    // [/analysis]
    const bool billed = serve(graph, "My invoice is wrong");
    const bool helped = serve(graph, "The program does not start");
    const bool passed_on = serve(graph, "Help!");
    return billed && helped && passed_on ? 0 : 1;
}
