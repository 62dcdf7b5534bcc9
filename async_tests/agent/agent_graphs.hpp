#pragma once

#include <weft/agent/agent_graph.hpp>
#include <weft/agent/conversation/conversation.hpp>
#include <weft/engine/engine.hpp>
#include <weft/testing/scripted_model.hpp>
#include <weft/testing/simulation.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft_tests {

inline const std::string done_block = "<AGENT_DONE>All is well.</AGENT_DONE>";
inline const std::string more_block = "<AGENT_CONTINUE><STATUS_REPORT>next</STATUS_REPORT></AGENT_CONTINUE>";
inline const std::string blocked_block =
    "<AGENT_BLOCKED><BLOCKER_REASON>no key</BLOCKER_REASON>"
    "<UNBLOCK_REQUIREMENTS>the key</UNBLOCK_REQUIREMENTS></AGENT_BLOCKED>";

[[nodiscard]] inline std::shared_ptr<weft::testing::scripted_model> scripted(std::vector<std::string> replies)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    for (std::string& reply : replies) model->then(weft::testing::scripted_turn{std::move(reply)});
    return model;
}

[[nodiscard]] inline weft::agent_options options_with(std::shared_ptr<weft::chat_model> model)
{
    weft::agent_options options;
    options.model = std::move(model);
    options.prompt.base = "You are an agent.";
    return options;
}

[[nodiscard]] inline weft::run_request saying(std::string text)
{
    weft::run_request request{"thread-1"};
    request.input(weft::agent_keys::input, std::move(text)).options(weft::agent_run_options());
    return request;
}

/** A run of an agent graph, and what it emitted. */
struct agent_run {
    weft::run_result result;
    std::vector<std::string> emitted;  ///< `kind: text`

    [[nodiscard]] const weft::agent_status& status() const { return result.state.get(weft::agent_keys::status); }
    [[nodiscard]] const weft::input_diagnostics& found() const
    {
        return result.state.get(weft::agent_keys::diagnostics);
    }
    /** `role:text` of each message in force, oldest first, and the label of those that have one. */
    [[nodiscard]] std::vector<std::string> said() const
    {
        std::vector<std::string> lines;
        const weft::conversation& talk = result.state.get(weft::agent_keys::conversation);
        for (weft::lane_cursor at{talk, ""}; !at.is_done(); at.next()) {
            std::string line{name_of(at.entry().message.role)};
            line += ":" + at.entry().message.text();
            if (!at.entry().label.empty()) line += " [" + at.entry().label + "]";
            lines.insert(lines.begin(), std::move(line));
        }
        return lines;
    }
};

[[nodiscard]] inline agent_run run_agent_graph(const weft::graph& agent, weft::run_request request,
                                               std::uint64_t seed = 1)
{
    agent_run seen;
    request.on_event([&seen](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::output) seen.emitted.push_back(event.label + ": " + event.text);
    });
    weft::testing::simulation sim{seed};
    const weft::engine engine{agent};
    seen.result = sim.run(engine.run(std::move(request)));
    return seen;
}

[[nodiscard]] inline agent_run run_scripted(std::shared_ptr<weft::chat_model> model, std::string text = "Do it.")
{
    return run_agent_graph(weft::agent_graph(options_with(std::move(model))), saying(std::move(text)));
}

}  // namespace weft_tests
