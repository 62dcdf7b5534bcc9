#include <weft/observe/otlp/span_names.hpp>

#include <array>
#include <cstddef>

namespace weft {

namespace {

/** The names of a key by dialect. One that is null is that of the dialect before. */
struct named_key {
    span_key key;
    const char* v1_36;
    const char* v1_41 = nullptr;
    const char* latest = nullptr;
};

constexpr auto key_count = static_cast<std::size_t>(span_key::count_);

constexpr std::array<named_key, key_count> names{{
    {span_key::operation, "gen_ai.operation.name"},
    {span_key::provider, "gen_ai.system", "gen_ai.provider.name"},
    {span_key::conversation, "gen_ai.conversation.id"},
    {span_key::workflow, "weft.graph", "weft.graph", "gen_ai.workflow.name"},
    {span_key::agent, "gen_ai.agent.name"},
    {span_key::request_model, "gen_ai.request.model"},
    {span_key::response_model, "gen_ai.response.model"},
    {span_key::response_id, "gen_ai.response.id"},
    {span_key::finish_reason, "gen_ai.response.finish_reasons"},
    {span_key::temperature, "gen_ai.request.temperature"},
    {span_key::top_p, "gen_ai.request.top_p"},
    {span_key::output_max, "gen_ai.request.max_tokens"},
    {span_key::seed, "gen_ai.request.seed"},
    {span_key::input_tokens, "gen_ai.usage.input_tokens"},
    {span_key::output_tokens, "gen_ai.usage.output_tokens"},
    {span_key::cache_read_tokens, "", "gen_ai.usage.cache_read.input_tokens"},
    {span_key::cache_write_tokens, "", "gen_ai.usage.cache_creation.input_tokens",
     "gen_ai.usage.cache_write.input_tokens"},
    {span_key::reasoning_tokens, "", "gen_ai.usage.reasoning.output_tokens"},
    {span_key::first_chunk_seconds, "", "gen_ai.response.time_to_first_chunk"},
    {span_key::tool, "gen_ai.tool.name"},
    {span_key::tool_type, "gen_ai.tool.type"},
    {span_key::tool_call, "gen_ai.tool.call.id"},
    {span_key::error_type, "error.type"},
    {span_key::server_address, "server.address"},
    {span_key::server_port, "server.port"},
    {span_key::http_method, "http.request.method"},
    {span_key::http_status, "http.response.status_code"},
    {span_key::url, "url.full"},
    {span_key::node, "weft.node"},
    {span_key::visit, "weft.visit"},
    {span_key::attempt, "weft.attempt"},
    {span_key::branch, "weft.branch"},
    {span_key::run, "weft.run"},
    {span_key::part, "weft.part"},
    {span_key::status, "weft.status"},
    {span_key::cost_usd, "weft.cost_usd"},
    {span_key::attempts, "weft.model.attempts"},
    {span_key::input_messages, "", "gen_ai.input.messages"},
    {span_key::output_messages, "", "gen_ai.output.messages"},
    {span_key::tool_arguments, "", "gen_ai.tool.call.arguments"},
    {span_key::tool_result, "", "gen_ai.tool.call.result"},
    {span_key::error_message, "exception.message"},
}};

constexpr bool are_in_order()
{
    for (std::size_t i = 0; i < names.size(); ++i)
        if (static_cast<std::size_t>(names[i].key) != i) return false;
    return true;
}
static_assert(are_in_order(), "the table has each key once, in the order of span_key");

}  // namespace

std::optional<span_dialect> span_dialect_named(std::string_view name) noexcept
{
    if (name == "1.36") return span_dialect::v1_36;
    if (name == "1.41") return span_dialect::v1_41;
    if (name == "latest") return span_dialect::latest;
    return std::nullopt;
}

std::string_view name_of(span_key key, span_dialect dialect) noexcept
{
    const named_key& named = names[static_cast<std::size_t>(key)];
    if (dialect == span_dialect::latest && named.latest) return named.latest;
    if (dialect != span_dialect::v1_36 && named.v1_41) return named.v1_41;
    return named.v1_36;
}

std::string_view schema_url_of(span_dialect dialect) noexcept
{
    switch (dialect) {
    case span_dialect::v1_36: return "https://opentelemetry.io/schemas/1.36.0";
    case span_dialect::v1_41: return "https://opentelemetry.io/schemas/1.41.0";
    case span_dialect::latest: break;
    }
    return {};
}

}  // namespace weft
