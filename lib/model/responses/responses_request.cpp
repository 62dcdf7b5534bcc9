#include "responses_provider.hpp"

#include <weft/base/error.hpp>

#include "model/wire/request_writing.hpp"
#include "responses_input.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

struct responses_writer {
    const chat_request& request;
    const responses_settings& settings;
    json::storage_ptr storage;

    [[nodiscard]] json::value clean(std::string_view text) const { return clean_text(text, storage); }

    void put_conversation(json::object& out, std::string_view model) const;
    void put_include(json::object& out) const;
    void put_tools(json::object& out) const;
    void put_text_format(json::object& out) const;
    void put_reasoning(json::object& out) const;
    void put_sampling(json::object& out) const;
    void put_metadata(json::object& out) const;

private:
    [[nodiscard]] json::object tool(const tool_spec& spec) const;
    void put_tool_choice(json::object& out) const;
};

void responses_writer::put_conversation(json::object& out, std::string_view model) const
{
    const std::size_t instructions = count_instructions(request.messages);
    if (instructions > 0) {
        std::string text;
        std::size_t place = 0;
        for (const message& m : request.messages) {
            if (place++ == instructions) break;
            text.append(text.empty() ? "" : "\n\n").append(m.text());
        }
        out.emplace("instructions", clean(text));
    }
    out.emplace("input", responses_input(request.messages, instructions, settings, model, storage));
}

void responses_writer::put_include(json::object& out) const
{
    if (settings.include.empty()) return;
    json::array include(storage);
    for (const std::string& what : settings.include) include.push_back(clean(what));
    out.emplace("include", std::move(include));
}

/** `strict` is always said, since here it is the default; a strict schema that takes nothing must say so too. */
json::object responses_writer::tool(const tool_spec& spec) const
{
    const bool is_text = spec.input == tool_input::text;
    json::object out(storage);
    out.emplace("type", is_text ? "custom" : "function");
    out.emplace("name", clean(spec.name));
    if (!spec.description.empty()) out.emplace("description", clean(spec.description));
    if (is_text) return out;
    if (spec.parameters.is_null()) {
        json::object nothing(storage);
        nothing.emplace("type", "object");
        nothing.emplace("properties", json::object(storage));
        nothing.emplace("additionalProperties", false);
        out.emplace("parameters", std::move(nothing));
    } else {
        out.emplace("parameters", spec.parameters);
    }
    if (settings.takes_strict_tools) out.emplace("strict", spec.strict);
    return out;
}

void responses_writer::put_tools(json::object& out) const
{
    if (request.tools.empty()) return;
    json::array tools(storage);
    for (const tool_spec& spec : request.tools) tools.push_back(tool(spec));
    out.emplace("tools", std::move(tools));
    put_tool_choice(out);
    if (request.parallel_tool_calls) out.emplace("parallel_tool_calls", *request.parallel_tool_calls);
}

void responses_writer::put_tool_choice(json::object& out) const
{
    const tool_choice& choice = request.tool_choice;
    if (choice.how == tool_choice::mode::automatic) return;
    if (choice.how != tool_choice::mode::named) {
        out.emplace("tool_choice", choice.how == tool_choice::mode::none ? "none" : "required");
        return;
    }
    const bool is_text = std::any_of(request.tools.begin(), request.tools.end(), [&](const tool_spec& spec) {
        return spec.name == choice.tool && spec.input == tool_input::text;
    });
    json::object target(storage);
    target.emplace("type", is_text ? "custom" : "function");
    target.emplace("name", clean(choice.tool));
    out.emplace("tool_choice", std::move(target));
}

void responses_writer::put_text_format(json::object& out) const
{
    if (!request.output) return;
    const output_schema& wanted = *request.output;
    json::object format(storage);
    if (wanted.schema.is_null()) {
        format.emplace("type", "json_object");
    } else {
        format.emplace("type", "json_schema");
        format.emplace("name", clean(wanted.name));
        if (!wanted.description.empty()) format.emplace("description", clean(wanted.description));
        format.emplace("schema", wanted.schema);
        format.emplace("strict", wanted.strict);
    }
    json::object text(storage);
    text.emplace("format", std::move(format));
    out.emplace("text", std::move(text));
}

void responses_writer::put_reasoning(json::object& out) const
{
    if (request.reasoning_effort.empty() && settings.reasoning_summary.empty()) return;
    json::object reasoning(storage);
    if (!request.reasoning_effort.empty()) reasoning.emplace("effort", clean(request.reasoning_effort));
    if (!settings.reasoning_summary.empty()) reasoning.emplace("summary", clean(settings.reasoning_summary));
    out.emplace("reasoning", std::move(reasoning));
}

void responses_writer::put_sampling(json::object& out) const
{
    if (request.output_max) out.emplace("max_output_tokens", request.output_max->count());
    if (!settings.takes_sampling) return;
    if (request.temperature) out.emplace("temperature", *request.temperature);
    if (request.top_p) out.emplace("top_p", *request.top_p);
}

void responses_writer::put_metadata(json::object& out) const
{
    if (settings.metadata.empty()) return;
    json::object metadata(storage);
    for (const auto& [name, value] : settings.metadata) metadata.emplace(name, clean(value));
    out.emplace("metadata", std::move(metadata));
}

}  // namespace

std::string responses_request_body(const chat_request& request, const responses_settings& settings,
                                   std::string_view model)
{
    model = asked_model(request, model);
    require_messages(request);
    if (!request.stop.empty())
        throw error{errc::invalid_configuration, "chat_request.stop",
                    "the Responses API has no stop texts; leave them out, or ask by chat completions"};

    json::monotonic_resource memory;
    const json::storage_ptr storage{&memory};
    json::object out(storage);
    const responses_writer write{request, settings, storage};
    out.emplace("model", write.clean(model));
    out.emplace("stream", true);
    out.emplace("store", settings.store);
    write.put_conversation(out, model);
    write.put_include(out);
    write.put_tools(out);
    write.put_text_format(out);
    write.put_reasoning(out);
    write.put_sampling(out);
    write.put_metadata(out);
    put_members(out, settings.extra_body);
    put_members(out, request.extra_body);
    return json::serialize(out);
}

}  // namespace weft::model_detail
