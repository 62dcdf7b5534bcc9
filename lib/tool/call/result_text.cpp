#include <weft/tool/tool_runner.hpp>

#include <weft/base/text/untrusted_text.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

namespace weft {

namespace json = boost::json;

namespace {

std::string neutral_string(const json::string& from) { return neutral_text({from.data(), from.size()}); }

/** The depth is that of parsed JSON, or of what a tool has built. */
void neutralise_value(json::value& value)
{
    if (json::string* const text = value.if_string()) {
        *text = neutral_string(*text);
    } else if (json::array* const items = value.if_array()) {
        for (json::value& item : *items) neutralise_value(item);
    } else if (const json::object* const members = value.if_object()) {
        json::object neutral(members->storage());
        neutral.reserve(members->size());
        for (const json::key_value_pair& member : *members) {
            json::value& kept = neutral.emplace(neutral_text(member.key()), member.value()).first->value();
            neutralise_value(kept);
        }
        value = std::move(neutral);
    }
}

struct part_neutraliser {
    void operator()(text_part& part) const
    {
        if (!is_surely_neutral(part.text)) part.text = neutral_text(part.text);
    }
    void operator()(json_part& part) const { neutralise_value(part.value); }
    void operator()(image_part&) const {}  // bytes, and an address that the model cannot read
};

}  // namespace

void neutralise_result(tool_result& result)
{
    for (tool_content& part : result.content) std::visit(part_neutraliser{}, part);
}

}  // namespace weft
