#include "gemini_provider.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>

#include "gemini_contents.hpp"
#include "model/wire/request_writing.hpp"
#include "openapi_schema.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>

#include <cctype>
#include <utility>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

struct gemini_body_writer {
    const chat_request& request;
    const gemini_settings& settings;
    json::storage_ptr storage;

    [[nodiscard]] json::value clean(std::string_view text) const { return clean_text(text, storage); }

    void put_system(json::object& out, json::array parts) const;
    void put_tools(json::object& out) const;
    void put_tool_choice(json::object& out) const;
    void put_generation(json::object& out) const;
    void put_safety(json::object& out) const;

private:
    [[nodiscard]] json::object tool(const tool_spec& spec) const;
    [[nodiscard]] json::value schema(const json::value& wanted) const;
    void put_sampling(json::object& out) const;
    void put_output(json::object& out) const;
    void put_thinking(json::object& out) const;
};

void gemini_body_writer::put_system(json::object& out, json::array parts) const
{
    if (parts.empty()) return;
    json::object instruction(storage);
    instruction.emplace("parts", std::move(parts));
    out.emplace("systemInstruction", std::move(instruction));
}

json::value gemini_body_writer::schema(const json::value& wanted) const
{
    if (settings.schemas == gemini_schemas::openapi) return openapi_schema(wanted, storage);
    return json::value(wanted, storage);
}

/** Whether a schema is of objects in which nothing is named: the server wants no schema then. */
bool names_nothing(const json::value& schema) noexcept
{
    const json::object* fields = schema.if_object();
    if (!fields) return true;
    const json::object* properties = peek_object(*fields, "properties");
    const bool is_object = fields->empty() || peek_text(*fields, "type") == "object";
    return is_object && (!properties || properties->empty()) && !fields->contains("$ref") &&
           !fields->contains("anyOf") && !fields->contains("oneOf") && !fields->contains("allOf");
}

json::object gemini_body_writer::tool(const tool_spec& spec) const
{
    if (spec.input == tool_input::text)
        throw error{errc::invalid_configuration, "tool " + spec.name,
                    "it takes free text, which this provider has no tools for: give it a schema"};
    const bool is_openapi = settings.schemas == gemini_schemas::openapi;
    json::object entry(storage);
    entry.emplace("name", clean(spec.name));
    if (!spec.description.empty()) entry.emplace("description", clean(spec.description));
    if (!names_nothing(spec.parameters))
        entry.emplace(is_openapi ? "parameters" : "parametersJsonSchema", schema(spec.parameters));
    return entry;
}

void gemini_body_writer::put_tools(json::object& out) const
{
    json::array tools(storage);
    if (!request.tools.empty()) {
        json::array functions(storage);
        for (const tool_spec& spec : request.tools) functions.push_back(tool(spec));
        tools.emplace_back(json::object_kind).get_object().emplace("functionDeclarations", std::move(functions));
    }
    for (const json::value& server_tool : settings.server_tools) tools.push_back(server_tool);
    if (!tools.empty()) out.emplace("tools", std::move(tools));
    if (!request.tools.empty()) put_tool_choice(out);
}

void gemini_body_writer::put_tool_choice(json::object& out) const
{
    const tool_choice& choice = request.tool_choice;
    if (choice.how == tool_choice::mode::automatic) return;
    json::object calling(storage);
    calling.emplace("mode", choice.how == tool_choice::mode::none ? "NONE" : "ANY");
    if (choice.how == tool_choice::mode::named) {
        json::array names(storage);
        names.push_back(clean(choice.tool));
        calling.emplace("allowedFunctionNames", std::move(names));
    }
    json::object config(storage);
    config.emplace("functionCallingConfig", std::move(calling));
    out.emplace("toolConfig", std::move(config));
}

void gemini_body_writer::put_sampling(json::object& out) const
{
    if (request.temperature) out.emplace("temperature", *request.temperature);
    if (request.top_p) out.emplace("topP", *request.top_p);
    if (request.output_max) out.emplace("maxOutputTokens", request.output_max->count());
    if (request.seed) out.emplace("seed", *request.seed);
    if (request.stop.empty()) return;
    json::array stop(storage);
    for (const std::string& text : request.stop) stop.push_back(clean(text));
    out.emplace("stopSequences", std::move(stop));
}

void gemini_body_writer::put_output(json::object& out) const
{
    if (!request.output) return;
    out.emplace("responseMimeType", "application/json");
    if (request.output->schema.is_null()) return;
    const bool is_openapi = settings.schemas == gemini_schemas::openapi;
    out.emplace(is_openapi ? "responseSchema" : "responseJsonSchema", schema(request.output->schema));
}

/** A level and a budget exclude each other. */
void gemini_body_writer::put_thinking(json::object& out) const
{
    json::object config(storage);
    if (settings.includes_thoughts) config.emplace("includeThoughts", true);
    std::string level = request.reasoning_effort;
    for (char& c : level) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (!level.empty())
        config.emplace("thinkingLevel", clean(level));
    else if (settings.thinking_budget)
        config.emplace("thinkingBudget", *settings.thinking_budget);
    if (!config.empty()) out.emplace("thinkingConfig", std::move(config));
}

void gemini_body_writer::put_generation(json::object& out) const
{
    json::object config(storage);
    put_sampling(config);
    put_output(config);
    put_thinking(config);
    if (!config.empty()) out.emplace("generationConfig", std::move(config));
}

void gemini_body_writer::put_safety(json::object& out) const
{
    if (settings.safety.empty()) return;
    json::array list(storage);
    for (const auto& [category, threshold] : settings.safety) {
        json::object& entry = list.emplace_back(json::object_kind).get_object();
        entry.emplace("category", clean(category));
        entry.emplace("threshold", clean(threshold));
    }
    out.emplace("safetySettings", std::move(list));
}

}  // namespace

std::string gemini_request_body(const chat_request& request, const gemini_settings& settings, std::string_view model)
{
    if (!request.model.empty()) model = request.model;
    json::monotonic_resource memory;
    const json::storage_ptr storage{&memory};
    auto conversation = gemini_contents(request.messages, settings, model, storage);
    require_conversation(conversation.contents);
    json::object out(storage);
    const gemini_body_writer write{request, settings, storage};
    write.put_system(out, std::move(conversation.system));
    out.emplace("contents", std::move(conversation.contents));
    write.put_tools(out);
    write.put_generation(out);
    write.put_safety(out);
    if (!settings.cached_content.empty()) out.emplace("cachedContent", write.clean(settings.cached_content));
    put_members(out, settings.extra_body);
    put_members(out, request.extra_body);
    return json::serialize(out);
}

}  // namespace weft::model_detail
