#include <weft/agent/event_loop_kind.hpp>

#include <weft/base/error.hpp>
#include <weft/graph/graph_spec.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

/** A key of a file as an output: what its type reads fits. */
loop_output output_of_key(const node_request& request, const std::string& key)
{
    loop_output made;
    made.name = key;
    made.description = request.description_of(key);
    const auto& nullable = request.spec().outputs.nullable;
    made.is_nullable = std::find(nullable.begin(), nullable.end(), key) != nullable.end();
    const value_type* const type = request.layout()[request.layout().find(key)].type->update;
    made.fault_of = [type](const boost::json::value& value) -> std::string {
        if (!type->from_json) return "the key is transient";
        try {
            (void)type->from_json(value);
        } catch (const error& e) {
            return e.detail();
        }
        return {};
    };
    return made;
}

std::shared_ptr<const tool_set> named_tools(node_request& request, const std::vector<std::string>& names,
                                            const tool_set* all)
{
    if (names.empty()) return nullptr;
    try {
        return std::make_shared<const tool_set>((all ? *all : tool_set{}).only(names));
    } catch (const error& e) {
        request.mistake("tools", e.detail());
        return nullptr;
    }
}

std::shared_ptr<const node_body> make_event_loop(node_request& request, const std::shared_ptr<chat_model>& model,
                                                 const event_loop_options& program)
{
    const std::optional<event_loop_file_settings> settings = request.settings<event_loop_file_settings>();
    if (!settings) return nullptr;
    event_loop_options options = program;
    options.settings = *settings;
    options.tools = named_tools(request, settings->tools, program.tools.get());
    options.outputs.clear();
    if (request.spec().writes)
        for (const std::string& key : *request.spec().writes)
            if (key != settings->conversation && key != settings->hand_offs &&
                request.layout().find(key) != state_layout::none)
                options.outputs.push_back(output_of_key(request, key));
    options.reads = request.spec().reads.value_or(std::vector<std::string>{});
    for (const std::string& key : options.reads) request.require_readable("", key);
    if (settings->faces_client) request.options().faces_client = true;
    if (request.options().timeout.count() == 0) request.options().timeout = std::chrono::hours{24 * 30};
    if (!model) {
        request.mistake("", "no model is configured: an event loop needs one");
        return request.registry().nothing();
    }
    try {
        return make_node_body(event_loop(model, std::move(options)));
    } catch (const error& e) {
        request.mistake("", e.detail());
        return nullptr;
    }
}

}  // namespace

node_kind event_loop_kind(std::shared_ptr<chat_model> model, event_loop_options program)
{
    return {[model = std::move(model), program = std::move(program)](node_request& request) {
                return make_event_loop(request, model, program);
            },
            true};
}

}  // namespace weft
