#include "guarded_tool_kind.hpp"

#include "agent/node/kind_checks.hpp"

#include <weft/graph/graph_spec.hpp>
#include <weft/tool/call/tool_kind.hpp>

#include <optional>
#include <utility>

namespace weft {

namespace {

/** A tool node whose file says more than the node knows. */
class guarded_tool_body final : public node_body {
public:
    guarded_tool_body(std::shared_ptr<const node_body> inner, guarded_tool_settings settings)
        : node_body{inner->is_coroutine(), inner->may_command()}, inner_{std::move(inner)},
          settings_{std::move(settings)}
    {
    }
    void run(node_context& context, command& answer) const override { inner_->run(context, answer); }
    node_task make(node_context& context) const override { return inner_->make(context); }
    bool describe(node_spec& into, const state_layout& keys) const override
    {
        if (!inner_->describe(into, keys)) return false;
        // The same with the guardrails.
        for (auto& [name, setting] : spec_detail::write_structure(settings_)) into.settings.emplace(name, setting);
        return true;
    }

private:
    std::shared_ptr<const node_body> inner_;
    guarded_tool_settings settings_;
};

std::shared_ptr<const node_body> make_guarded_tools(node_request& request, const tool_set& tools,
                                                    const tool_runner_options& options,
                                                    const std::shared_ptr<chat_model>& model)
{
    const std::optional<guarded_tool_settings> settings = request.settings<guarded_tool_settings>();
    if (!settings) return nullptr;
    agent_detail::tell_faults(request, json_path{request.settings_at(), "guards"}, settings->guards.faults());
    const tool_runner_options guarded = agent_detail::guarded_options(settings->guards, options, model);
    std::shared_ptr<const node_body> inner = make_tool_body(request, *settings, tools, guarded);
    if (!inner || settings->guards.is_empty()) return inner;
    return std::make_shared<const guarded_tool_body>(std::move(inner), *settings);
}

}  // namespace

node_kind guarded_tool_kind(std::shared_ptr<const tool_set> tools, tool_runner_options options,
                            std::shared_ptr<chat_model> model)
{
    if (!tools) tools = std::make_shared<const tool_set>();
    return {[tools = std::move(tools), options = std::move(options),
             model = std::move(model)](node_request& request) {
                return make_guarded_tools(request, *tools, options, model);
            },
            true};
}

}  // namespace weft
