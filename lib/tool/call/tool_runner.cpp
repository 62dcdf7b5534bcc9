#include <weft/tool/tool_runner.hpp>

#include "tool_turn_state.hpp"

#include <utility>

namespace weft {

tool_runner::tool_runner(std::shared_ptr<const tool_set> tools, tool_runner_options options)
{
    if (!tools) throw error{errc::invalid_configuration, "tool_runner", "it has no tools: give it a tool_set"};
    setup_ = std::make_shared<const setup>(setup{std::move(tools), std::move(options)});
}

const tool_set& tool_runner::tools() const noexcept { return *setup_->tools; }

tool_runner tool_runner::with_tools(std::shared_ptr<const tool_set> tools) const
{
    return tool_runner{std::move(tools), setup_->options};
}

bool tool_runner::inspects() const noexcept { return static_cast<bool>(setup_->options.inspect); }

task<void> tool_runner::inspect(tool_answer& answer, tool_context shared) const
{
    return turn_state::inspect_result(setup_, answer, std::move(shared));
}

task<tool_turn> tool_runner::run(std::vector<tool_call> calls, tool_context shared) const
{
    return turn_state::carry_out(setup_, std::move(calls), std::move(shared));
}

}  // namespace weft
