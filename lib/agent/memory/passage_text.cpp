#include "passage_text.hpp"

#include "agent/text/key_text.hpp"

#include <weft/agent/memory/memory_search.hpp>
#include <weft/base/json/json_peek.hpp>

namespace weft::agent_detail {

boost::json::object object_of_match(const item_space& where, const item_match& match)
{
    boost::json::object one;
    one["name"] = name_in(where, match.item.key);
    one["score"] = match.score;
    one["value"] = match.item.value;
    return one;
}

std::string text_of_match(const item_space& where, const item_match& match)
{
    const boost::json::object* const value = match.item.value.if_object();
    const boost::json::value* const text = value ? peek_member(*value, "text") : nullptr;
    const boost::json::value* const document = value ? peek_member(*value, "document") : nullptr;
    if (!text || !document)
        return "[" + name_in(where, match.item.key) + "]\n" + readable_text(match.item.value) + "\n";
    std::string place = readable_text(*document);
    if (const boost::json::value* const line = peek_member(*value, "line")) place += ":" + readable_text(*line);
    const boost::json::value* const heading = peek_member(*value, "heading");
    if (heading && heading->is_string() && !heading->get_string().empty()) place += ", " + readable_text(*heading);
    return "[" + place + "]\n" + readable_text(*text) + "\n";
}

}  // namespace weft::agent_detail
