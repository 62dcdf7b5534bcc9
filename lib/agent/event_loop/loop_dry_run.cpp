#include <weft/agent/event_loop/loop_dry_run.hpp>

#include <weft/base/json/json_text.hpp>

#include <utility>

namespace weft {

namespace {

void add_dry_run_call(message& said, const event_loop_memory& memory, std::string tool,
                        const boost::json::object& arguments)
{
    tool_call call;
    call.id = "rehearsed-" + std::to_string(memory.iteration) + "-" + std::to_string(said.tool_calls.size() + 1);
    call.name = std::move(tool);
    call.arguments = to_json_text(arguments);
    said.tool_calls.push_back(std::move(call));
}

}  // namespace

message loop_dry_run::reply(const event_loop_memory& memory) const
{
    const std::size_t turn = memory.iteration > 0 ? memory.iteration - 1 : 0;
    if (turn < turns.size()) {
        message said = message::assistant(turns[turn].text);
        for (const dry_run_call& call : turns[turn].calls)
            add_dry_run_call(said, memory, call.tool, call.arguments);
        return said;
    }
    message said = message::assistant("(A rehearsal: no model is configured.)");
    for (const dry_run_output& one : outputs)
        if (!memory.outputs.contains(one.key))
            add_dry_run_call(said, memory, "set_output", {{"key", one.key}, {"value", one.value}});
    if (!outputs.empty() && said.tool_calls.empty()) return message::assistant({});
    return said;
}

}  // namespace weft
