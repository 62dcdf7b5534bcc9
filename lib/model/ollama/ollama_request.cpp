#include "ollama_provider.hpp"

#include <weft/base/error.hpp>

#include "model/wire/request_writing.hpp"
#include "ollama_messages.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>

#include <charconv>
#include <utility>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

struct ollama_body_writer {
    const chat_request& request;
    const ollama_settings& settings;
    json::storage_ptr storage;

    [[nodiscard]] json::value clean(std::string_view text) const { return clean_text(text, storage); }

    void put_tools(json::object& out) const;
    void put_format(json::object& out) const;
    void put_thinking(json::object& out) const;
    void put_options(json::object& out) const;
    void put_keep_alive(json::object& out) const;

private:
    [[nodiscard]] json::object tool(const tool_spec& spec) const;
};

json::object ollama_body_writer::tool(const tool_spec& spec) const
{
    if (spec.input == tool_input::text)
        throw error{errc::invalid_configuration, "chat_request.tools",
                    "Ollama has no tools that take free text: give '" + spec.name + "' parameters"};
    json::object function(storage);
    function.emplace("name", clean(spec.name));
    if (!spec.description.empty()) function.emplace("description", clean(spec.description));
    if (spec.parameters.is_null()) {
        json::object nothing(storage);
        nothing.emplace("type", "object");
        nothing.emplace("properties", json::object(storage));
        function.emplace("parameters", std::move(nothing));
    } else {
        function.emplace("parameters", spec.parameters);
    }
    json::object entry(storage);
    entry.emplace("type", "function");
    entry.emplace("function", std::move(function));
    return entry;
}

void ollama_body_writer::put_tools(json::object& out) const
{
    const tool_choice& choice = request.tool_choice;
    if (choice.how == tool_choice::mode::none) return;
    json::array tools(storage);
    for (const tool_spec& spec : request.tools)
        if (choice.how != tool_choice::mode::named || spec.name == choice.tool) tools.push_back(tool(spec));
    if (!tools.empty()) out.emplace("tools", std::move(tools));
}

void ollama_body_writer::put_format(json::object& out) const
{
    if (!request.output) return;
    if (request.output->schema.is_null())
        out.emplace("format", "json");
    else
        out.emplace("format", request.output->schema);
}

void ollama_body_writer::put_thinking(json::object& out) const
{
    const std::string& effort = request.reasoning_effort;
    if (effort.empty()) return;
    if (effort == "true" || effort == "false" || effort == "none")
        out.emplace("think", effort == "true");
    else
        out.emplace("think", clean(effort));
}

void ollama_body_writer::put_options(json::object& out) const
{
    json::object options(storage);
    put_members(options, settings.options);
    const auto put = [&options](std::string_view name, json::value value) {
        options.insert_or_assign(name, std::move(value));
    };
    if (settings.context_max) put("num_ctx", settings.context_max->count());
    if (request.output_max) put("num_predict", request.output_max->count());
    if (request.temperature) put("temperature", *request.temperature);
    if (request.top_p) put("top_p", *request.top_p);
    if (request.seed) put("seed", *request.seed);
    json::array stop(storage);
    for (const std::string& text : request.stop) stop.push_back(clean(text));
    if (!stop.empty()) put("stop", std::move(stop));
    if (!options.empty()) out.emplace("options", std::move(options));
}

/** A number without a unit must be one in JSON, too. */
void ollama_body_writer::put_keep_alive(json::object& out) const
{
    const std::string& text = settings.keep_alive;
    if (text.empty()) return;
    std::int64_t seconds = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (failed == std::errc{} && end == text.data() + text.size())
        out.emplace("keep_alive", seconds);
    else
        out.emplace("keep_alive", clean(text));
}

/** Joins at the top level, but options one by one. */
void join_body(json::object& out, const json::object& extra)
{
    for (const json::key_value_pair& member : extra) {
        json::value* const own = member.key() == "options" ? out.if_contains("options") : nullptr;
        if (own && own->is_object() && member.value().is_object())
            put_members(own->get_object(), member.value().get_object());
        else
            out.insert_or_assign(member.key(), member.value());
    }
}

}  // namespace

std::string ollama_request_body(const chat_request& request, const ollama_settings& settings, std::string_view model)
{
    model = asked_model(request, model);
    require_messages(request);

    json::monotonic_resource memory;
    const json::storage_ptr storage{&memory};
    json::object out(storage);
    const ollama_body_writer write{request, settings, storage};
    out.emplace("model", write.clean(model));
    out.emplace("stream", true);
    out.emplace("messages", ollama_messages(request.messages, model, storage));
    write.put_tools(out);
    write.put_format(out);
    write.put_thinking(out);
    write.put_options(out);
    write.put_keep_alive(out);
    join_body(out, settings.extra_body);
    join_body(out, request.extra_body);
    return json::serialize(out);
}

}  // namespace weft::model_detail
