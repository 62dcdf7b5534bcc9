#include "openai_provider.hpp"

#include "model/wire/request_writing.hpp"
#include "openai_messages.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

struct body_writer {
    const chat_request& request;
    const openai_profile& profile;
    json::storage_ptr storage;

    [[nodiscard]] json::value clean(std::string_view text) const { return clean_text(text, storage); }

    void put_tools(json::object& out) const;
    void put_tool_choice(json::object& out) const;
    void put_response_format(json::object& out) const;
    void put_sampling(json::object& out) const;

private:
    [[nodiscard]] json::object tool(const tool_spec& spec) const;
};

json::object body_writer::tool(const tool_spec& spec) const
{
    const bool is_text = spec.input == tool_input::text;
    json::object target(storage);
    target.emplace("name", clean(spec.name));
    if (!spec.description.empty()) target.emplace("description", clean(spec.description));
    if (!is_text && !spec.parameters.is_null()) target.emplace("parameters", spec.parameters);
    if (!is_text && spec.strict && profile.takes_strict_tools) target.emplace("strict", true);
    json::object entry(storage);
    entry.emplace("type", is_text ? "custom" : "function");
    entry.emplace(is_text ? "custom" : "function", std::move(target));
    return entry;
}

void body_writer::put_tools(json::object& out) const
{
    if (request.tools.empty()) return;
    json::array tools(storage);
    for (const tool_spec& spec : request.tools) tools.push_back(tool(spec));
    out.emplace("tools", std::move(tools));
    put_tool_choice(out);
    if (request.parallel_tool_calls && profile.takes_parallel_flag)
        out.emplace("parallel_tool_calls", *request.parallel_tool_calls);
}

void body_writer::put_tool_choice(json::object& out) const
{
    const tool_choice& choice = request.tool_choice;
    if (!profile.takes_tool_choice || choice.how == tool_choice::mode::automatic) return;
    if (choice.how == tool_choice::mode::none) {
        out.emplace("tool_choice", "none");
    } else if (choice.how == tool_choice::mode::required) {
        if (!profile.required_tools_word.empty()) out.emplace("tool_choice", profile.required_tools_word);
    } else {
        json::object target(storage);
        target.emplace("name", clean(choice.tool));
        json::object entry(storage);
        entry.emplace("type", "function");
        entry.emplace("function", std::move(target));
        out.emplace("tool_choice", std::move(entry));
    }
}

/** As much of the wish as the server understands. */
void body_writer::put_response_format(json::object& out) const
{
    if (!request.output || profile.response_format == response_formats::none) return;
    json::object format(storage);
    const bool has_schema = !request.output->schema.is_null();
    if (!has_schema || profile.response_format == response_formats::json_object) {
        format.emplace("type", "json_object");
    } else {
        json::object schema(storage);
        schema.emplace("name", clean(request.output->name));
        if (!request.output->description.empty()) schema.emplace("description", clean(request.output->description));
        schema.emplace("schema", request.output->schema);
        if (request.output->strict) schema.emplace("strict", true);
        format.emplace("type", "json_schema");
        format.emplace("json_schema", std::move(schema));
    }
    out.emplace("response_format", std::move(format));
}

void body_writer::put_sampling(json::object& out) const
{
    if (request.output_max) out.emplace(profile.max_tokens_field, request.output_max->count());
    if (profile.takes_sampling) {
        if (request.temperature) out.emplace("temperature", *request.temperature);
        if (request.top_p) out.emplace("top_p", *request.top_p);
    }
    if (request.seed) out.emplace("seed", *request.seed);
    if (!request.reasoning_effort.empty()) out.emplace("reasoning_effort", clean(request.reasoning_effort));
    if (request.stop.empty()) return;
    json::array stop(storage);
    for (const std::string& text : request.stop) stop.push_back(clean(text));
    out.emplace("stop", std::move(stop));
}

}  // namespace

std::string openai_request_body(const chat_request& request, const openai_profile& profile, std::string_view model)
{
    model = asked_model(request, model);
    require_messages(request);

    json::monotonic_resource memory;
    const json::storage_ptr storage{&memory};
    json::object out(storage);
    const body_writer write{request, profile, storage};
    out.emplace("model", write.clean(model));
    out.emplace("stream", true);
    if (profile.takes_stream_options) {
        json::object options(storage);
        options.emplace("include_usage", true);
        out.emplace("stream_options", std::move(options));
    }
    out.emplace("messages", openai_messages(request.messages, profile, model, storage));
    write.put_tools(out);
    write.put_response_format(out);
    write.put_sampling(out);
    put_members(out, profile.extra_body);
    put_members(out, request.extra_body);
    return json::serialize(out);
}

}  // namespace weft::model_detail
