#pragma once

#include <weft/facade/ensemble_loop.hpp>
#include <weft/testing/simulation.hpp>

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>

namespace weft_tests {

/** A task that gives a text, or whatever a callable gives. */
inline weft::ensemble_task says(std::string text)
{
    return weft::ensemble_task{"", [text = std::move(text)] { return text; }};
}

/** `name` and the number of the visit: "write 2". */
inline weft::ensemble_task counts()
{
    return weft::ensemble_task{"", [](weft::ensemble_task_context& context) {
                                   return std::string{context.state()} + " " + std::to_string(context.visit());
                               }};
}

inline weft::ensemble_result run_ensemble(const weft::ensemble_graph& graph, weft::ensemble_request request = {})
{
    weft::testing::simulation sim{1};
    return sim.run(graph.run(std::move(request)));
}

/** States in the order of their steps. */
inline std::string path_of(const weft::ensemble_result& result)
{
    std::string line;
    for (const auto& step : result.history) line.append(line.empty() ? "" : " ").append(step.state_name);
    return line;
}

/** What an action throws: the text of a `weft::error`. */
inline std::string error_of(auto&& action)
{
    try {
        action();
    } catch (const std::exception& e) {
        return e.what();
    }
    return "nothing was thrown";
}

inline bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace weft_tests
