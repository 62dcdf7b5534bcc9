#include "anthropic_provider.hpp"

#include <weft/base/error.hpp>

#include "anthropic_messages.hpp"
#include "model/wire/request_writing.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

constexpr std::size_t cache_marks_max = 4;
constexpr tokens thinking_min{1024};

using thinking_mode = anthropic_thinking::mode;

struct anthropic_body_writer {
    const chat_request& request;
    const anthropic_settings& settings;
    json::storage_ptr storage;

    [[nodiscard]] json::value clean(std::string_view text) const { return clean_text(text, storage); }
    [[nodiscard]] thinking_mode thinking() const noexcept;
    [[nodiscard]] tokens output_max() const;

    void put_system(json::object& out, json::array blocks) const;
    void put_thinking(json::object& out) const;
    void put_tools(json::object& out) const;
    void put_tool_choice(json::object& out) const;
    void put_output(json::object& out) const;
    void put_sampling(json::object& out) const;
    void put_user(json::object& out) const;

private:
    [[nodiscard]] json::object tool(const tool_spec& spec) const;
};

/** The server refuses a demand for a tool call beside thinking, and thinks with no fewer tokens than `thinking_min`.
 *  The demand counts, and so does a limit that is no larger than that. */
thinking_mode anthropic_body_writer::thinking() const noexcept
{
    const thinking_mode wanted = settings.thinking.how;
    const bool thinks = wanted == thinking_mode::adaptive || wanted == thinking_mode::budget;
    const tool_choice::mode choice = request.tool_choice.how;
    const bool demands = choice == tool_choice::mode::required || choice == tool_choice::mode::named;
    if (thinks && demands && !request.tools.empty()) return thinking_mode::off;
    const bool is_too_short = request.output_max && *request.output_max <= thinking_min;
    return wanted == thinking_mode::budget && is_too_short ? thinking_mode::off : wanted;
}

tokens anthropic_body_writer::output_max() const
{
    if (thinking() != thinking_mode::budget) return request.output_max.value_or(settings.output_max);
    const tokens budget = settings.thinking.budget;
    if (budget < thinking_min)
        throw error{errc::invalid_configuration, "anthropic_settings.thinking.budget",
                    "the provider takes no less than " + std::to_string(thinking_min.count()) + " tokens"};
    if (!request.output_max) return settings.output_max + budget;
    if (*request.output_max <= budget)
        throw error{errc::invalid_configuration, "chat_request.output_max",
                    "set it to more than the " + std::to_string(budget.count()) +
                        " tokens that are set aside for thinking"};
    return *request.output_max;
}

void anthropic_body_writer::put_system(json::object& out, json::array blocks) const
{
    if (blocks.empty()) return;
    json::object& last = blocks.back().get_object();
    if (settings.cache.system) last.emplace("cache_control", cache_mark(settings.cache, storage));
    if (blocks.size() == 1 && !settings.cache.system)
        out.emplace("system", std::move(last.at("text")));
    else
        out.emplace("system", std::move(blocks));
}

void anthropic_body_writer::put_thinking(json::object& out) const
{
    const thinking_mode how = thinking();
    if (how == thinking_mode::unset) return;
    json::object entry(storage);
    if (how == thinking_mode::off) {
        entry.emplace("type", "disabled");
    } else {
        entry.emplace("type", how == thinking_mode::adaptive ? "adaptive" : "enabled");
        if (how == thinking_mode::budget) entry.emplace("budget_tokens", settings.thinking.budget.count());
        if (!settings.thinking.display.empty()) entry.emplace("display", clean(settings.thinking.display));
    }
    out.emplace("thinking", std::move(entry));
}

json::object anthropic_body_writer::tool(const tool_spec& spec) const
{
    if (spec.input == tool_input::text)
        throw error{errc::invalid_configuration, "tool " + spec.name,
                    "it takes free text, which this provider has no tools for: give it a schema"};
    json::object entry(storage);
    entry.emplace("name", clean(spec.name));
    if (!spec.description.empty()) entry.emplace("description", clean(spec.description));
    json::value schema(spec.parameters, storage);
    if (schema.is_null()) schema = {{"type", "object"}, {"properties", json::object{}}};
    entry.emplace("input_schema", std::move(schema));
    if (spec.strict) entry.emplace("strict", true);
    return entry;
}

void anthropic_body_writer::put_tools(json::object& out) const
{
    json::array tools(settings.server_tools, storage);
    for (const tool_spec& spec : request.tools) tools.push_back(tool(spec));
    if (tools.empty()) return;
    if (json::object* last = settings.cache.tools ? tools.back().if_object() : nullptr)
        last->insert_or_assign("cache_control", cache_mark(settings.cache, storage));
    out.emplace("tools", std::move(tools));
    if (!request.tools.empty()) put_tool_choice(out);
}

void anthropic_body_writer::put_tool_choice(json::object& out) const
{
    const tool_choice& choice = request.tool_choice;
    const bool is_single = request.parallel_tool_calls == false;
    json::object entry(storage);
    switch (choice.how) {
    case tool_choice::mode::automatic:
        if (!is_single) return;
        entry.emplace("type", "auto");
        break;
    case tool_choice::mode::none: entry.emplace("type", "none"); break;
    case tool_choice::mode::required: entry.emplace("type", "any"); break;
    case tool_choice::mode::named:
        entry.emplace("type", "tool");
        entry.emplace("name", clean(choice.tool));
        break;
    }
    if (is_single && choice.how != tool_choice::mode::none) entry.emplace("disable_parallel_tool_use", true);
    out.emplace("tool_choice", std::move(entry));
}

void anthropic_body_writer::put_output(json::object& out) const
{
    json::object config(storage);
    if (!request.reasoning_effort.empty()) config.emplace("effort", clean(request.reasoning_effort));
    if (request.output && !request.output->schema.is_null()) {
        json::object format(storage);
        format.emplace("type", "json_schema");
        format.emplace("schema", request.output->schema);
        config.emplace("format", std::move(format));
    }
    if (!config.empty()) out.emplace("output_config", std::move(config));
}

void anthropic_body_writer::put_sampling(json::object& out) const
{
    const bool thinks = thinking() == thinking_mode::adaptive || thinking() == thinking_mode::budget;
    if (settings.takes_sampling && !thinks) {
        if (request.temperature) out.emplace("temperature", *request.temperature);
        if (request.top_p) out.emplace("top_p", *request.top_p);
    }
    if (request.stop.empty()) return;
    json::array stop(storage);
    for (const std::string& text : request.stop) stop.push_back(clean(text));
    out.emplace("stop_sequences", std::move(stop));
}

void anthropic_body_writer::put_user(json::object& out) const
{
    const auto label = request.labels.find(settings.user_label);
    if (settings.user_label.empty() || label == request.labels.end() || label->second.empty()) return;
    json::object metadata(storage);
    metadata.emplace("user_id", clean(label->second));
    out.emplace("metadata", std::move(metadata));
}

void check(const anthropic_cache& cache)
{
    if (cache.messages <= cache_marks_max &&
        cache.messages + (cache.tools ? 1 : 0) + (cache.system ? 1 : 0) <= cache_marks_max)
        return;
    throw error{errc::invalid_configuration, "anthropic_settings.cache",
                "a request has at most " + std::to_string(cache_marks_max) + " marks: take some of them out"};
}

}  // namespace

std::string anthropic_request_body(const chat_request& request, const anthropic_settings& settings,
                                   std::string_view model)
{
    model = asked_model(request, model);
    check(settings.cache);

    json::monotonic_resource memory;
    const json::storage_ptr storage{&memory};
    auto conversation = anthropic_messages(request.messages, settings, model, storage);
    require_conversation(conversation.messages);
    json::object out(storage);
    const anthropic_body_writer write{request, settings, storage};
    out.emplace("model", write.clean(model));
    out.emplace("max_tokens", write.output_max().count());
    out.emplace("stream", true);
    write.put_system(out, std::move(conversation.system));
    write.put_thinking(out);
    out.emplace("messages", std::move(conversation.messages));
    write.put_tools(out);
    write.put_output(out);
    write.put_sampling(out);
    write.put_user(out);
    put_members(out, settings.extra_body);
    put_members(out, request.extra_body);
    return json::serialize(out);
}

}  // namespace weft::model_detail
