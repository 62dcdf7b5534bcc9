#include <weft/chat/tool_spec.hpp>

#include "json_fields.hpp"
#include "tool_input.hpp"

namespace weft {

namespace json = boost::json;

void tag_invoke(json::value_from_tag, json::value& out, const tool_spec& in)
{
    json::object fields(out.storage());
    fields.emplace("name", in.name);
    chat_detail::put_text(fields, "description", in.description);
    if (!in.parameters.is_null()) fields.emplace("parameters", in.parameters);
    if (in.strict) fields.emplace("strict", true);
    chat_detail::put_input(fields, in.input);
    out = std::move(fields);
}

tool_spec tag_invoke(json::value_to_tag<tool_spec>, const json::value& in)
{
    const json_path whole;
    const chat_detail::json_fields fields{in, whole};
    tool_spec result;
    result.name = fields.get<std::string>("name");
    result.description = fields.get_or_default<std::string>("description");
    result.parameters = fields.get_or_default<json::value>("parameters");
    result.strict = fields.get_or_default<bool>("strict");
    result.input = chat_detail::read_input(fields);
    return result;
}

}  // namespace weft
