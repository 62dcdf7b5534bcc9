#include "mcp_offer.hpp"

#include "mcp_write.hpp"
#include "tool/mcp/mcp_read.hpp"

#include <weft/base/error.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace weft::mcp_detail {

namespace {

using boost::json::object;
using boost::json::value;

[[noreturn]] void refuse_offer(const std::string& what, std::string why)
{
    throw error{errc::invalid_configuration, what, std::move(why)};
}

/** Clients refuse what the client of weft refuses. */
void check_tool(const mcp_tool& definition)
{
    std::string why;
    const auto note = [&why](std::string complaint) { why = std::move(complaint); };
    if (!read_tool(json_of(definition), mcp_limits{}, note)) refuse_offer("MCP tool '" + definition.name + "'", why);
}

json_schema schema_for(const mcp_tool& definition)
{
    try {
        return json_schema{definition.input_schema};
    } catch (const error& e) {
        refuse_offer("MCP tool '" + definition.name + "'", "its input schema cannot be used: " + e.detail());
    }
}

/** Free text is the member `input` of what clients send. */
value schema_of_spec(const tool_spec& spec)
{
    if (spec.input == tool_input::json)
        return spec.parameters.is_object() ? spec.parameters : value(object{{"type", "object"}});
    object input{{"type", "string"}};
    object properties;
    properties["input"] = std::move(input);
    return object{{"type", "object"}, {"properties", std::move(properties)}, {"required", {"input"}}};
}

mcp_tool definition_of(const tool_entry& entry)
{
    mcp_tool definition;
    definition.name = entry.spec.name;
    definition.description = entry.spec.description;
    definition.input_schema = schema_of_spec(entry.spec);
    definition.hints.is_read_only = entry.traits.is_read_only;
    definition.hints.is_idempotent = entry.traits.is_idempotent;
    definition.hints.is_destructive = entry.traits.is_destructive;
    return definition;
}

/** Calls a tool of a set as a model's call is made. */
class runner_function {
public:
    runner_function(std::shared_ptr<const tool_runner> runner, const tool_spec& spec)
        : runner_{std::move(runner)}, name_{spec.name}, input_{spec.input}
    {
    }

    task<mcp_call_result> operator()(mcp_server_context& context, object arguments) const
    {
        return run(runner_, context, call_for(context, arguments));
    }

private:
    [[nodiscard]] tool_call call_for(const mcp_server_context& context, const object& arguments) const
    {
        tool_call call;
        call.id = text_of(context.id());
        call.name = name_;
        call.input = input_;
        if (input_ == tool_input::json) call.arguments = boost::json::serialize(arguments);
        else if (const value* text = arguments.if_contains("input")) call.arguments = text->as_string();
        return call;
    }

    static task<mcp_call_result> run(std::shared_ptr<const tool_runner> runner, mcp_server_context& context,
                                     tool_call call)
    {
        tool_context shared;
        double steps = 0;
        shared.progress = [&context, &steps](std::string_view kind, std::string_view text) {
            // What a runner tells a model's watchers, the client knows: it made the call.
            if (kind == "tool_start" || kind == "tool_end") return;
            if (kind == "progress") context.progress(++steps, std::nullopt, text);
            else context.log(kind == "warning" ? "warning" : "info", value(text), kind);
        };
        std::vector<tool_call> calls;
        calls.push_back(std::move(call));
        const tool_turn turn = co_await runner->run(std::move(calls), shared);
        if (turn.is_cancelled) throw error{errc::cancelled};
        co_return call_result_of(turn.answers.front().result);
    }

    std::shared_ptr<const tool_runner> runner_;
    std::string name_;
    tool_input input_;
};

}  // namespace

void mcp_offer::add(mcp_tool definition, mcp_server::tool_function function)
{
    check_tool(definition);
    if (tool(definition.name)) refuse_offer("MCP tool '" + definition.name + "'", "there is one of this name already");
    std::string why;
    // `check_tool` has read them once: they are there.
    definition.headers = *mcp_argument_headers::read(definition.input_schema, why);
    json_schema input = schema_for(definition);
    tools_.push_back({std::move(definition), std::move(function), std::move(input)});
}

void mcp_offer::add(tool_set tools, tool_runner_options runner)
{
    const auto shared = std::make_shared<const tool_set>(std::move(tools));
    const auto running = std::make_shared<const tool_runner>(shared, std::move(runner));
    for (const tool_entry& entry : shared->entries()) {
        if (entry.traits.is_remote || entry.traits.hands_over)
            refuse_offer("MCP tool '" + entry.spec.name + "'", "it is of use in a graph only");
        add(definition_of(entry), runner_function{running, entry.spec});
    }
}

void mcp_offer::add(mcp_resource definition, mcp_server::resource_function function)
{
    if (definition.uri.empty()) refuse_offer("MCP resource '" + definition.name + "'", "it has no address");
    if (definition.name.empty()) definition.name = definition.uri;
    for (const offered_resource& other : resources_)
        if (other.definition.uri == definition.uri)
            refuse_offer("MCP resource '" + definition.uri + "'", "there is one of this address already");
    resources_.push_back({std::move(definition), std::move(function)});
}

void mcp_offer::add(mcp_resource_template definition, mcp_server::resource_function function)
{
    uri_template form{definition.uri_template};
    if (definition.name.empty()) definition.name = definition.uri_template;
    templates_.push_back({std::move(definition), std::move(function), std::move(form)});
}

void mcp_offer::add(mcp_prompt definition, mcp_server::prompt_function function)
{
    if (definition.name.empty()) refuse_offer("MCP prompt", "it has no name");
    if (prompt(definition.name))
        refuse_offer("MCP prompt '" + definition.name + "'", "there is one of this name already");
    prompts_.push_back({std::move(definition), std::move(function)});
}

const offered_tool* mcp_offer::tool(std::string_view name) const noexcept
{
    const auto found = std::find_if(tools_.begin(), tools_.end(),
                                    [name](const offered_tool& each) { return each.definition.name == name; });
    return found == tools_.end() ? nullptr : &*found;
}

const offered_prompt* mcp_offer::prompt(std::string_view name) const noexcept
{
    const auto found = std::find_if(prompts_.begin(), prompts_.end(),
                                    [name](const offered_prompt& each) { return each.definition.name == name; });
    return found == prompts_.end() ? nullptr : &*found;
}

std::optional<mcp_offer::readable> mcp_offer::resource(std::string_view uri) const
{
    for (const offered_resource& each : resources_)
        if (each.definition.uri == uri) return readable{&each.function, {}};
    for (const offered_template& each : templates_)
        if (auto parts = each.form.match(uri)) return readable{&each.function, std::move(*parts)};
    return std::nullopt;
}

}  // namespace weft::mcp_detail
