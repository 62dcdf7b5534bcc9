#pragma once

#include "nodes.hpp"

#include <weft/base/json/json_text.hpp>
#include <weft/engine/memory_journal.hpp>
#include <weft/engine/run_handle.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace weft_tests {

using weft::node_context;
using weft::question;
using weft::question_answers;
using weft::run_handle;
using weft::run_request;
using weft::run_result;
using weft::run_status;
using weft::task;

/** A node that asks for a text and adds the answer, with its own name, to `words`. */
inline task<void> ask_node(node_context& context, std::string text)
{
    question asked{std::move(text)};
    const std::string answer = co_await context.ask<std::string>(std::move(asked));
    context.set(words, std::string{context.node()} + ":" + answer);
}
[[nodiscard]] inline auto asks(std::string text = "What?")
{
    return [text](node_context& context) { return ask_node(context, text); };
}

/** The addresses of a paused run's questions, on one line. */
inline std::string questions_of(const run_result& result)
{
    std::string line;
    for (const weft::open_question& one : result.questions) line += (line.empty() ? "" : " ") + one.address;
    return line;
}

/** The words of a run, on one line. */
inline std::string words_of(const run_result& result)
{
    std::string line;
    if (const auto* all = result.state.find(words))
        for (const std::string& word : *all) line += (line.empty() ? "" : " ") + word;
    return line;
}

/** Goes on where a run paused, with answers. */
inline run_result resume_in(weft::testing::simulation& sim, const weft::graph& graph, const run_result& paused,
                            question_answers answers = {}, std::shared_ptr<weft::effect_journal> journal = nullptr)
{
    run_request request;
    request.resume(paused.paused_at);
    if (!answers.empty()) request.answers(std::move(answers));
    if (journal) request.journal(std::move(journal));
    return run_in(sim, graph, std::move(request));
}

inline weft::graph one_asker(weft::node_options options = {})
{
    return empty_graph().node("a", asks(), std::move(options)).edge(weft::start, "a").build();
}

inline weft::graph around(weft::graph inner)
{
    return empty_graph("outer").node("in", weft::subgraph{std::move(inner)}).node("z", [] {})
        .edge(weft::start, "in").edge("in", "z").build();
}

inline task<run_handle> start(weft::graph graph, run_request request = run_request{})
{
    const weft::engine engine{std::move(graph)};
    co_return co_await engine.start(std::move(request));
}

}  // namespace weft_tests
