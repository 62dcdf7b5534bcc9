#include "loop_parts.hpp"

#include <weft/base/error.hpp>
#include <weft/model/chat/token_estimate.hpp>

#include <algorithm>
#include <utility>

namespace weft::agent_detail {

namespace {

/** Those of the parts before come first, so that what providers cache of a request stays valid. */
tool_set tools_after(const std::vector<std::string>& phases, const event_loop_options& options)
{
    tool_set tools;
    for (const std::string& phase : phases)
        for (const node_tools& other : options.tools_of_others) {
            if (other.node != phase || !other.tools) continue;
            for (const tool_entry& entry : other.tools->entries()) {
                const bool is_own = options.tools && options.tools->find(entry.spec.name);
                if (!is_own && !tools.find(entry.spec.name)) tools.add(entry.work);
            }
        }
    if (options.tools) tools.add(*options.tools);
    if (options.spill && !tools.find("read_result")) add_spill_reader(tools, options.spill);
    return tools;
}

tool_runner_options runner_options_of(const event_loop_options& options)
{
    const loop_limits& limits = options.settings.limits;
    tool_runner_options how = options.tool_options;
    how.calls.soft = how.calls.hard = limits.calls_max;  // the step warns, of all calls together
    how.timeout = duration_of_seconds(limits.tool_timeout_seconds);
    how.result_chars_max = limits.result_chars_max;
    if (!how.spill) how.spill = options.spill;
    return how;
}

}  // namespace

std::shared_ptr<const offered_tools> offer_after(const std::vector<std::string>& phases,
                                                 const event_loop_options& options, const loop_tools& own)
{
    auto made = std::make_shared<offered_tools>();
    tool_set tools = tools_after(phases, options);
    for (const tool_entry& entry : tools.entries()) {
        const std::string& name = entry.spec.name;
        if (own.has(name))
            throw error{errc::invalid_configuration, "event_loop",
                        "the loop has a tool '" + name + "' of its own: give yours another name"};
        made->specs.push_back(entry.spec);
    }
    if (!tools.empty())
        made->runner.emplace(std::make_shared<const tool_set>(std::move(tools)), runner_options_of(options));
    for (const tool_spec& spec : own.specs()) made->specs.push_back(spec);
    chat_request bare;
    bare.tools = made->specs;
    made->estimate = estimate_input(bare);
    return made;
}

std::shared_ptr<const offered_tools> offered_in_visit(const loop_parts& parts, node_context& node,
                                                      const std::vector<std::string>& phases)
{
    if (phases.empty() || parts.options.tools_of_others.empty()) return parts.offered;
    if (const auto* const known = node.find(loop_offer)) return *known;
    std::shared_ptr<const offered_tools> made = offer_after(phases, parts.options, parts.own);
    node.set(loop_offer, made);
    return made;
}

}  // namespace weft::agent_detail
