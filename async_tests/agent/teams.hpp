#pragma once

#include <weft/agent/llm_node.hpp>
#include <weft/agent/pattern/pattern_participant.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/engine.hpp>
#include <weft/testing/scripted_model.hpp>
#include <weft/testing/simulation.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft_tests {

/** What a participant of a test answers to a task. */
using spoken_words = std::function<std::string(const std::string& task)>;

inline weft::task<void> say_after(weft::node_context& node, std::chrono::nanoseconds span, spoken_words what)
{
    if (span.count() > 0) co_await weft::sleep_for(span);
    node.set(weft::patterns::answer, what(node.get(weft::patterns::given_task)));
}

/** A participant that takes a while and then answers what a function makes of its task. */
[[nodiscard]] inline weft::patterns::participant who_says(std::string name, std::chrono::nanoseconds span,
                                                          spoken_words what)
{
    return {std::move(name), [=](weft::node_context& node) { return say_after(node, span, what); }};
}
[[nodiscard]] inline weft::patterns::participant who_says(std::string name, std::chrono::nanoseconds span,
                                                          std::string what)
{
    return who_says(std::move(name), span, [what](const std::string&) { return what; });
}
[[nodiscard]] inline weft::patterns::participant who_fails(std::string name)
{
    return who_says(std::move(name), {}, [](const std::string&) -> std::string {
        throw weft::error{weft::errc::model_rejected, "test", "fails on purpose"};
    });
}

/** A participant that is a model. */
[[nodiscard]] inline weft::patterns::participant who_asks(std::string name, std::shared_ptr<weft::chat_model> model)
{
    weft::llm_node_options options{.settings = {.system = "You are " + name + ".", .prompt = "{task}"},
                                   .writes = {"answer"}};
    return {std::move(name), weft::llm_node{std::move(model), std::move(options)}};
}

struct team_run {
    weft::run_result result;
    std::chrono::milliseconds elapsed{};

    [[nodiscard]] std::string answer() const
    {
        const std::string* const found = result.state.find(weft::patterns::answer);
        return found ? *found : "nothing";
    }
    [[nodiscard]] weft::errc code() const { return result.why ? result.why->code : weft::errc{}; }
};

[[nodiscard]] inline team_run run_team(const weft::graph& what, std::string task, std::uint64_t seed = 1)
{
    weft::testing::simulation sim{seed};
    const weft::engine engine{what};
    team_run run;
    run.result = sim.run(engine.run(weft::run_request{}.input(weft::patterns::given_task, std::move(task))));
    run.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(sim.elapsed());
    return run;
}

/** Runs a pattern within a task that can be destroyed and stopped. */
inline weft::task<void> run_whole(std::function<weft::graph()> make, std::string expected)
{
    const weft::graph graph = make();
    const weft::engine engine{graph};
    weft::run_request request;
    request.input(weft::patterns::given_task, std::string{"a\nb\nc"});
    const weft::run_result result = co_await engine.run(std::move(request));
    if (result.status == weft::run_status::cancelled) throw weft::error{weft::errc::cancelled};
    if (result.state.get(weft::patterns::answer) != expected)
        throw weft::error{weft::errc::invalid_output, "test", result.state.get(weft::patterns::answer)};
}

/** What a pattern is refused with. */
[[nodiscard]] inline std::string refusal_of(const std::function<weft::graph()>& make)
{
    try {
        (void)make();
    } catch (const weft::error& e) {
        return e.what();
    }
    return "none";
}

}  // namespace weft_tests
