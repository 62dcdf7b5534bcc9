#include <weft/tool/call/tool_kind.hpp>

#include <weft/base/error.hpp>
#include <weft/tool/call/messages_key.hpp>

#include <algorithm>
#include <optional>

namespace weft {

namespace {

/** Says what is wrong with the key of the messages. */
void check_messages(node_request& request, const std::string& key)
{
    const std::string fault = messages_key::fault_of(request.layout(), key);
    if (request.layout().find(key) == state_layout::none) return request.require_readable("messages", key);
    if (!fault.empty()) request.mistake("messages", fault);
    const auto& writes = request.spec().writes;
    if (writes && std::find(writes->begin(), writes->end(), key) == writes->end())
        request.mistake("messages", "the node's writes do not name '" + key + "': add it there");
}

/** A node that waits for results at itself pauses before it looks for them. */
void arrange_waiting(node_request& request, const std::string& waits_at)
{
    if (waits_at.empty()) return;
    std::vector<std::string>& targets = request.options().goes_to;
    if (std::find(targets.begin(), targets.end(), waits_at) == targets.end()) targets.push_back(waits_at);
    if (request.spec().name == waits_at) request.options().pauses = pause_point::before;
}

}  // namespace

void check_client_tools(node_request& request, const json_path& at, const client_tools_offer& offer)
{
    const json_path place{at, "client_tools"};
    if (std::string fault = fault_of(offer, request.layout()); !fault.empty())
        return request.mistakes().add(place, std::move(fault));
    if (!offer.is_none()) request.require_readable(place, std::string{key_of_client_tools(request.layout())});
}

std::shared_ptr<const node_body> make_tool_body(node_request& request, const tool_settings& settings,
                                                const tool_set& tools, const tool_runner_options& options)
{
    check_messages(request, settings.messages);
    arrange_waiting(request, settings.remote);
    check_client_tools(request, request.settings_at(), settings.client_tools);
    if (const std::string fault = settings.fault(); !fault.empty()) {
        const std::size_t end = fault.find(": ");
        request.mistake(fault.substr(0, end), fault.substr(end + 2));
        return nullptr;
    }
    try {
        return make_node_body(tool_node{tools, settings, options});
    } catch (const error& e) {
        request.mistake("tools", e.detail());
        return nullptr;
    }
}

node_kind tool_kind(std::shared_ptr<const tool_set> tools, tool_runner_options options)
{
    if (!tools) tools = std::make_shared<const tool_set>();
    return {[tools = std::move(tools), options = std::move(options)](node_request& request) {
                const std::optional<tool_settings> settings = request.settings<tool_settings>();
                return settings ? make_tool_body(request, *settings, *tools, options) : nullptr;
            },
            true};
}

node_registry& add_tool_kinds(node_registry& registry, std::shared_ptr<const tool_set> tools,
                              tool_runner_options options)
{
    return registry.add_type<list<message>>("messages")
        .add_type<client_tools>("client_tools")
        .add_kind("tool", tool_kind(std::move(tools), std::move(options)));
}

}  // namespace weft
