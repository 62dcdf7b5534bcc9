#include "mcp_kind.hpp"

#include "agent/node/kind_checks.hpp"
#include "agent/text/key_text.hpp"
#include "agent/remote/answer_writes.hpp"

#include <weft/agent/prompt/prompt_template.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/tool/call/node_tools.hpp>
#include <weft/tool/mcp_tools.hpp>

#include <limits>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t mcp_told_bytes_max = 1000;
constexpr unsigned mcp_nesting_max = 64;  // of arguments in a file

struct mcp_plan {
    mcp_settings settings;
    agent_detail::answer_target keys;
    std::optional<std::vector<std::string>> reads;
    std::string name;
    tool_runner runner;
    bool asks_before = false;  ///< The program confirms calls.
};

using mcp_plan_pointer = std::shared_ptr<const mcp_plan>;

std::string place_of_call(const mcp_plan& plan, const node_context& node)
{
    return "node '" + std::string{node.node()} + "', tool '" + plan.settings.tool + "' of the MCP server '" +
           plan.settings.server + "'";
}

// Arguments.

/** The key that a text is and nothing else, as in `{place}`; empty if it is more, or less. */
std::string only_key_of(const prompt_template& text, std::string_view written)
{
    const bool is_one = text.places().size() == 1 && written == "{" + text.places().front().key + "}";
    return is_one ? text.places().front().key : std::string{};
}

boost::json::value filled_text(const node_context& node, std::string_view written)
{
    const prompt_template text{written};
    const std::string key = only_key_of(text, written);
    if (key.empty()) {
        const std::string said = text.fill(node).text;
        return boost::json::string_view{said};
    }
    if (!agent_detail::read_key(node, key).has_value) return nullptr;
    const value_ptr& value = node.value_at(node.layout().find(key));
    return value->type().to_json(*value);
}

boost::json::value filled_value(const node_context& node, const boost::json::value& written)
{
    if (const boost::json::string* const text = written.if_string()) return filled_text(node, *text);
    if (const boost::json::array* const items = written.if_array()) {
        boost::json::array filled;
        for (const boost::json::value& item : *items) filled.push_back(filled_value(node, item));
        return filled;
    }
    const boost::json::object* const members = written.if_object();
    if (!members) return written;
    boost::json::object filled;
    for (const auto& [name, value] : *members) filled.emplace(name, filled_value(node, value));
    return filled;
}

boost::json::object mcp_arguments_of(const mcp_plan& plan, const node_context& node)
{
    if (!plan.settings.arguments) return agent_detail::object_of_reads(node, plan.reads, plan.keys);
    boost::json::object arguments;
    for (const auto& [name, value] : *plan.settings.arguments) {
        boost::json::value filled = filled_value(node, value);
        // An argument whose key has no value is one that was not given.
        if (!filled.is_null() || value.is_null()) arguments.emplace(name, std::move(filled));
    }
    return arguments;
}

// The call.

errc code_of_answer(tool_status status) noexcept
{
    switch (status) {
    case tool_status::timeout: return errc::timeout;
    case tool_status::cancelled: return errc::cancelled;
    default: return errc::mcp_refused;
    }
}

/** What a run of the node is about: its arguments as they were when it began. */
struct mcp_work {
    mcp_plan_pointer plan;
    boost::json::object arguments;

    task<boost::json::value> perform(const std::string& key, node_context& node) const
    {
        tool_call call;
        call.id = key;  // tools know it as their idempotency key
        call.name = plan->name;
        call.arguments = to_json_text(arguments);
        std::vector<tool_call> calls{std::move(call)};
        return answer(plan, std::move(calls), node);
    }

private:
    static task<boost::json::value> answer(mcp_plan_pointer plan, std::vector<tool_call> calls, node_context& node)
    {
        tool_turn turn = co_await call_tools_in_node(plan->runner, std::move(calls), node);
        refuse_cancelled(turn, node);
        tool_answer& given = turn.answers.at(0);
        if (given.status != tool_status::success)
            throw error{code_of_answer(given.status), place_of_call(*plan, node),
                        agent_detail::shortened(given.result.readable(), mcp_told_bytes_max)};
        if (boost::json::value* const structured = given.result.metadata.if_contains("structured"))
            co_return std::move(*structured);
        const std::string text = given.result.readable();
        boost::json::value value(boost::json::string_view{text});  // braces would make a list
        co_return value;
    }
};

class mcp_node {
public:
    explicit mcp_node(mcp_plan plan) : plan_{std::make_shared<const mcp_plan>(std::move(plan))} {}

    [[nodiscard]] task<void> operator()(node_context& node) const { return work(plan_, node); }
    bool describe(node_spec& into, const state_layout&) const
    {
        into.kind = "mcp";
        into.settings = spec_detail::write_structure(plan_->settings);
        return true;
    }
    [[nodiscard]] std::vector<std::string> written_keys(const state_layout&) const { return plan_->keys.writes; }

private:
    static task<void> work(mcp_plan_pointer plan, node_context& node)
    {
        const mcp_work call{plan, mcp_arguments_of(*plan, node)};
        if (plan->asks_before) {
            // Within an effect the run could not rest while a person is asked: the runner's own begins behind that.
            const boost::json::value confirmed = co_await call.perform("mcp", node);
            co_return agent_detail::write_answer(node, plan->keys, confirmed, "the tool");
        }
        effect_options options;
        options.input = {{"server", plan->settings.server}, {"tool", plan->settings.tool}};
        const auto perform = [&call, &node](const effect_context& effect) { return call.perform(effect.key(), node); };
        const boost::json::value answer = co_await node.once("mcp", std::move(options), perform);
        agent_detail::write_answer(node, plan->keys, answer, "the tool");
    }

    mcp_plan_pointer plan_;
};

// Reading files.

void check_argument(node_request& request, const json_path& at, const boost::json::value& value, unsigned depth)
{
    if (depth == mcp_nesting_max) return request.mistakes().add(at, "is nested too deeply");
    if (const boost::json::string* const text = value.if_string())
        agent_detail::check_template(request, at, std::string{std::string_view{*text}});
    else if (const boost::json::array* const items = value.if_array())
        for (std::size_t i = 0; i < items->size(); ++i)
            check_argument(request, json_path{at, i}, (*items)[i], depth + 1);
    else if (const boost::json::object* const members = value.if_object())
        for (const auto& [name, member] : *members)
            check_argument(request, json_path{at, std::string_view{name}}, member, depth + 1);
}

/** The tool in a set of its own; nothing and a mistake if there is none. */
std::optional<tool_set> mcp_tool_of(node_request& request, const std::string& name, const tool_set* all)
{
    try {
        const std::vector<std::string> names{name};
        return (all ? *all : tool_set{}).only(names);
    } catch (const error& e) {
        request.mistake("tool", e.detail());
        return std::nullopt;
    }
}

/** A call is made once, which the node sees to unless a person is asked before, and its result is data for keys, not
 *  text for a model. */
tool_runner_options options_for_data(tool_runner_options options)
{
    options.once = static_cast<bool>(options.confirm);
    options.retry.attempts_max = 1;
    options.neutralises_results = false;
    options.result_chars_max = std::numeric_limits<std::size_t>::max();
    options.spill = nullptr;
    return options;
}

std::shared_ptr<const node_body> make_mcp(node_request& request, const tool_set* tools,
                                          const tool_runner_options& options)
{
    std::optional<mcp_settings> settings = request.settings<mcp_settings>();
    if (!settings) return nullptr;
    const std::size_t before = request.mistakes().count();
    if (settings->server.empty()) request.mistake("server", "is empty: name a server of the file's \"mcp\"");
    if (settings->tool.empty()) request.mistake("tool", "is empty: name a tool of the server");
    if (settings->arguments)
        for (const auto& [name, value] : *settings->arguments) {
            const json_path arguments{request.settings_at(), "arguments"};
            check_argument(request, json_path{arguments, std::string_view{name}}, value, 0);
        }
    agent_detail::answer_target keys = agent_detail::answer_target_of(request, settings->into);
    if (request.mistakes().count() != before) return nullptr;
    std::string name = mcp_tool_name(settings->server, settings->tool);
    std::optional<tool_set> own = mcp_tool_of(request, name, tools);
    if (!own) return nullptr;
    tool_runner runner{std::make_shared<const tool_set>(std::move(*own)), options_for_data(options)};
    const bool asks_before = static_cast<bool>(options.confirm);
    return make_node_body(mcp_node{{std::move(*settings), std::move(keys), request.spec().reads, std::move(name),
                                    std::move(runner), asks_before}});
}

}  // namespace

node_kind mcp_kind(std::shared_ptr<const tool_set> tools, tool_runner_options options)
{
    return {[tools = std::move(tools), options = std::move(options)](node_request& request) {
        return make_mcp(request, tools.get(), options);
    }};
}

}  // namespace weft
