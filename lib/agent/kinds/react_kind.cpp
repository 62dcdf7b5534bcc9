#include "react_kind.hpp"

#include "agent/node/kind_checks.hpp"
#include "react_file.hpp"

#include <weft/agent/react_agent.hpp>

#include <optional>
#include <utility>

namespace weft {

namespace {

/** Where the node may hand over, besides its edges. */
void arrange_handoffs(node_request& request, const react_settings& settings)
{
    std::vector<std::string>& targets = request.options().goes_to;
    for (const handoff_target& target : settings.hands_over)
        agent_detail::add_once(targets, target.to);
}

std::shared_ptr<const node_body> make_react(node_request& request, const agent_program& around)
{
    std::optional<react_settings> settings = request.settings<react_settings>();
    if (!settings) return nullptr;
    const json_path& at = request.settings_at();
    agent_detail::check_conversation_node(request, settings->messages);
    const std::vector<std::string> answers = agent_detail::answer_keys_of(request, settings->messages);
    agent_detail::check_template(request, "prompt", settings->prompt);
    agent_detail::check_work(request, at, *settings, answers, around);
    agent_detail::tell_faults(request, settings->faults());
    arrange_handoffs(request, *settings);
    std::optional<tool_set> tools = agent_detail::tools_named(request, at, settings->tools, around.tools.get());
    if (!tools || request.mistakes().count() > 0) return request.registry().nothing();
    react_options options = agent_detail::options_of_work(request, std::move(*settings), answers, around);
    options.tools = std::move(*tools);
    return agent_detail::made_or_mistake(
        request, "", [&] { return react_agent{around.model, std::move(options)}.as_node(); });
}

}  // namespace

node_kind react_kind(agent_program around)
{
    return {[around = std::move(around)](node_request& request) { return make_react(request, around); }, true};
}

}  // namespace weft
