#include "loop_steps.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_reading.hpp>

#include <boost/json/serialize.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace weft::agent_detail {

namespace {

namespace json = boost::json;

/** Finds the texts in what a call of the loop's own tools says. */
void find_texts(json::value& in, std::vector<json::string*>& texts)
{
    if (json::string* const text = in.if_string()) texts.push_back(text);
    if (json::array* const items = in.if_array())
        for (json::value& item : *items) find_texts(item, texts);
    if (json::object* const members = in.if_object())
        for (auto& [name, member] : *members) find_texts(member, texts);
}

/** The texts of a call, but for names of keys and agents. */
std::vector<json::string*> texts_of_call(json::object& arguments)
{
    std::vector<json::string*> texts;
    for (auto& [name, member] : arguments)
        if (name != "key" && name != "agent_id") find_texts(member, texts);
    return texts;
}

task<void> look_at_call(const loop_definition& loop, const guard_place& place, const list<message>& sent,
                        tool_call& call)
{
    std::optional<json::value> arguments = try_parse_json(call.arguments);
    if (!arguments || !arguments->is_object()) co_return;  // the tool refuses it
    const std::vector<json::string*> texts = texts_of_call(arguments->get_object());
    if (texts.empty()) co_return;
    guard_subject subject{guard_stage::output, {}};
    for (const json::string* const text : texts)
        subject.text.append(subject.text.empty() ? "" : "\n").append(text->data(), text->size());
    subject.messages = sent;
    const guard_outcome passed = co_await pass_all_guards(loop.options().guards->output, std::move(subject), place);
    if (!passed.is_replaced) co_return;
    if (texts.size() > 1)
        throw error{errc::unexpected_json, place.name,
                    "a guardrail replaces what is more than one text, in a call of '" + call.name + "'"};
    texts.front()->assign(passed.text);
    call.arguments = json::serialize(*arguments);
}

}  // namespace

task<void> look_at_own_calls(const loop_definition& loop, const guard_place& place, list<message> sent, message& said)
{
    if (loop.options().guards->output.empty()) co_return;
    for (tool_call& call : said.tool_calls) {
        if (!loop.own().has(call.name)) continue;
        const std::string before = call.arguments;
        co_await look_at_call(loop, place, sent, call);
        if (call.arguments != before) said.provider.reset();  // the provider's own form has the old text
    }
}

}  // namespace weft::agent_detail
