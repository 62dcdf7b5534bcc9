#include <weft/chat/usage.hpp>

#include "json_fields.hpp"

namespace weft {

namespace json = boost::json;

usage& usage::operator+=(const usage& other) noexcept
{
    input += other.input;
    cached += other.cached;
    cache_written += other.cache_written;
    output += other.output;
    reasoning += other.reasoning;
    unreported += other.unreported;
    return *this;
}

void tag_invoke(json::value_from_tag, json::value& out, const usage& in)
{
    json::object fields(out.storage());
    const auto put = [&](std::string_view name, tokens amount) {
        if (amount != tokens{}) fields.emplace(name, amount.count());
    };
    fields.emplace("input", in.input.count());
    put("cached", in.cached);
    put("cache_written", in.cache_written);
    fields.emplace("output", in.output.count());
    put("reasoning", in.reasoning);
    if (in.unreported != 0) fields.emplace("unreported", in.unreported);
    out = std::move(fields);
}

usage tag_invoke(json::value_to_tag<usage>, const json::value& in)
{
    const json_path whole;
    const chat_detail::json_fields fields{in, whole};
    usage result;
    result.input = fields.get_or_default<tokens>("input");
    result.cached = fields.get_or_default<tokens>("cached");
    result.cache_written = fields.get_or_default<tokens>("cache_written");
    result.output = fields.get_or_default<tokens>("output");
    result.reasoning = fields.get_or_default<tokens>("reasoning");
    result.unreported = fields.get_or_default<std::int64_t>("unreported");
    return result;
}

}  // namespace weft
