#include <weft/tool/call/client_call.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/graph/node_context.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace weft {

namespace json = boost::json;

namespace {

constexpr std::string_view form_of_calls{"tool_call"};

/** How the question says what is to be done; clients read what it is about. */
question question_for(const tool_invocation& invocation)
{
    question asked = question::structured("Carry out the tool '" + invocation.call.name + "' and give its result.", {});
    asked.name = "call:" + invocation.call.id;
    asked.about = json::object{{"type", form_of_calls},
                               {"id", invocation.call.id},
                               {"name", invocation.call.name},
                               {"args", invocation.arguments}};
    return asked;
}

/** An answer is the result itself, or says that there is none because the call failed. */
tool_result result_of_answer(const json::value& answer)
{
    if (answer.is_string()) return tool_result::text(std::string{answer.get_string()});
    const json::object* const said = answer.if_object();
    const json::value* const failed = said && said->size() == 2 ? said->if_contains("is_error") : nullptr;
    const json::value* const content = failed ? said->if_contains("content") : nullptr;
    if (!content || !failed->is_bool()) return tool_result::text(json::serialize(answer));
    std::string text = content->is_string() ? std::string{content->get_string()} : json::serialize(*content);
    return failed->get_bool() ? tool_result::error(std::move(text)) : tool_result::text(std::move(text));
}

/** A tool that runs at the client. */
class client_tool final : public described_tool {
public:
    explicit client_tool(tool_spec spec) : described_tool{std::move(spec)} { editable_traits().asks_client = true; }
    task<tool_result> call(tool_invocation invocation) override
    {
        node_context* const node = invocation.context.node;
        if (!node)
            throw error{errc::invalid_configuration, "tool '" + invocation.call.name + "'",
                        "it is carried out by the client of a run: call it from a node"};
        // For watchers that show calls; one that waits for answers looks at the question.
        invocation.context.emit("remote_call", [&] {
            return json::serialize(json::object{{"id", invocation.call.id},
                                                {"name", invocation.call.name},
                                                {"arguments", invocation.arguments}});
        });
        question asked = question_for(invocation);
        const json::value answer = co_await node->interrupt(std::move(asked));
        co_return result_of_answer(answer);
    }
};

}  // namespace

client_tools client_tools_for(const node_context& node, const client_tools_offer& offer,
                              std::span<const tool_spec> own)
{
    client_tools result;
    if (offer.is_none()) return result;
    const std::uint32_t slot = node.layout().find(key_of_client_tools(node.layout()));
    if (slot == state_layout::none || !node.may_read(slot) || !node.value_at(slot)) return result;
    result = unboxed<client_tools>(*node.value_at(slot));
    const auto has_own = [own](std::string_view name) {
        return std::any_of(own.begin(), own.end(), [name](const tool_spec& one) { return one.name == name; });
    };
    std::erase_if(result.tools, [&](const tool_spec& one) { return !offer.has(one.name) || has_own(one.name); });
    const auto is_chosen = [&](const tool_spec& one) { return one.name == result.choice.tool; };
    // A choice of a tool that is not offered leaves the model free.
    const bool is_there =
        has_own(result.choice.tool) || std::any_of(result.tools.begin(), result.tools.end(), is_chosen);
    if (result.choice.how == tool_choice::mode::named && !is_there) result.choice = {};
    return result;
}

void add_client_tools(tool_set& to, const client_tools& from)
{
    for (const tool_spec& one : from.tools) to.add(std::make_shared<client_tool>(one));
}

std::optional<tool_call> client_call_in(const json::value& about)
{
    const json::object* const told = about.if_object();
    if (!told || peek_text(*told, "type") != form_of_calls) return std::nullopt;
    const json::object* const arguments = peek_object(*told, "args");
    tool_call call;
    call.id = peek_text(*told, "id");
    call.name = peek_text(*told, "name");
    if (!arguments || call.id.empty() || call.name.empty()) return std::nullopt;
    call.arguments = json::serialize(*arguments);
    return call;
}

}  // namespace weft
