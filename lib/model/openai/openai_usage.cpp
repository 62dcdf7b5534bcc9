#include "openai_usage.hpp"

#include <weft/base/json/json_peek.hpp>

#include <algorithm>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

std::int64_t detail(const json::object& in, std::string_view group, std::string_view name) noexcept
{
    const json::object* details = peek_object(in, group);
    return details ? peek_count(*details, name).value_or(0) : 0;
}

}  // namespace

std::optional<usage> openai_usage(const json::object& chunk) noexcept
{
    const json::object* in = peek_object(chunk, "usage");
    const json::object* groq = in ? nullptr : peek_object(chunk, "x_groq");
    if (groq) in = peek_object(*groq, "usage");
    if (!in) return std::nullopt;
    const auto input = peek_count(*in, "prompt_tokens");
    const auto output = peek_count(*in, "completion_tokens");
    if (!input && !output) return std::nullopt;

    usage result;
    result.input = tokens{input.value_or(0)};
    result.output = tokens{output.value_or(0)};
    // Some servers leave reasoning out of the completion and count it in the total only.
    const tokens total{peek_count(*in, "total_tokens").value_or(0)};
    result.output = std::max(result.output, total - result.input);
    const std::int64_t hits = peek_count(*in, "prompt_cache_hit_tokens").value_or(0);
    result.cached = tokens{std::max(hits, detail(*in, "prompt_tokens_details", "cached_tokens"))};
    result.cache_written = tokens{detail(*in, "prompt_tokens_details", "cache_write_tokens")};
    result.reasoning = tokens{detail(*in, "completion_tokens_details", "reasoning_tokens")};
    return result;
}

}  // namespace weft::model_detail
