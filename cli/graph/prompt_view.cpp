#include "prompt_view.hpp"

#include "run_input.hpp"
#include "terminal/console.hpp"
#include "terminal/text_table.hpp"

#include <weft/agent/agent_kinds.hpp>
#include <weft/agent/core/agent_event.hpp>
#include <weft/agent/supervisor.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/build/agent_kind_names.hpp>
#include <weft/graph/graph_spec_reader.hpp>
#include <weft/graph/node_registry.hpp>
#include <weft/model/chat_model.hpp>

#include <boost/describe/enum_to_string.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace weft_cli {

namespace {

/** Takes note of a request, and fails. */
class noting_model final : public weft::chat_model {
public:
    /** @param opening   Answers a request before that one; nothing: there is none. */
    explicit noting_model(std::optional<weft::message> opening) : opening_{std::move(opening)} {}
    [[nodiscard]] std::string_view label() const noexcept override { return "nobody"; }
    [[nodiscard]] const std::optional<weft::chat_request>& seen() const noexcept { return seen_; }
    [[nodiscard]] bool is_open() const noexcept { return !opening_; }

private:
    weft::task<weft::chat_reply> do_reply(weft::chat_request request, weft::chat_sink&) override
    {
        if (opening_) return open(*std::exchange(opening_, std::nullopt));
        if (!seen_) seen_.emplace(std::move(request));
        return refuse();
    }

    static weft::task<weft::chat_reply> open(weft::message said)
    {
        weft::chat_reply reply;
        reply.message = std::move(said);
        reply.stop = weft::stop_reason::tool_calls;
        co_return reply;
    }
    static weft::task<weft::chat_reply> refuse()
    {
        throw weft::error{weft::errc::model_rejected, "nobody", "this is only a look at the prompt"};
        co_return weft::chat_reply{};
    }

    std::optional<weft::message> opening_;
    std::optional<weft::chat_request> seen_;
};

bool asks_a_model(const weft::node_spec& node)
{
    // A look carries a node out up to its model: one without a model would be carried out to its end.
    static constexpr std::array<std::string_view, 9> others{"human",    "tool", "remember", "recall", "forget",
                                                            "retrieve", "http", "mcp",      "wait"};
    const auto& kinds = weft::agent_kind_names;
    return std::find(others.begin(), others.end(), node.kind) == others.end() &&
           std::find(kinds.begin(), kinds.end(), node.kind) != kinds.end();
}

const weft::node_spec& node_that_asks(const weft::graph_spec& spec, std::string_view name)
{
    const auto found = std::find_if(spec.nodes.begin(), spec.nodes.end(),
                                    [name](const weft::node_spec& one) { return one.name == name; });
    if (found != spec.nodes.end() && asks_a_model(*found)) return *found;
    std::string known;
    for (const weft::node_spec& one : spec.nodes)
        if (asks_a_model(one)) known.append(known.empty() ? "" : ", ").append(one.name);
    const std::string fault = found == spec.nodes.end()
                                  ? "there is no node '" + std::string{name} + "'"
                                  : "the node '" + std::string{name} + "' is of the kind " + found->kind;
    throw usage_error{"--prompt: " + fault + "; nodes that ask a model: " + (known.empty() ? "none" : known)};
}

/** The names of the items of a list of objects in a node's settings; none if there is no such list. */
std::vector<std::string> names_in(const weft::node_spec& node, std::string_view list, std::string_view member)
{
    std::vector<std::string> names;
    const boost::json::value* const found = node.settings.if_contains(list);
    if (!found || !found->is_array()) return names;
    for (const boost::json::value& one : found->get_array()) {
        const boost::json::value* const name = one.is_object() ? one.get_object().if_contains(member) : nullptr;
        if (name && name->is_string()) names.emplace_back(name->get_string());
    }
    return names;
}

/** The nodes that an agent may hand over to, whichever way its kind says so. */
std::vector<std::string> hand_over_targets(const weft::node_spec& node)
{
    std::vector<std::string> targets = names_in(node, "hands_over", "to");
    const boost::json::value* const by_name = node.settings.if_contains("hands_over");
    if (by_name && by_name->is_object())
        for (const auto& [to, when] : by_name->get_object()) targets.emplace_back(to);
    return targets;
}

/** Without what looks at prompts: a rule would ask the model too. */
void forget_guards(boost::json::object& settings)
{
    settings.erase("guards");
    for (const std::string_view list : {"members", "workers"}) {
        boost::json::value* const found = settings.if_contains(list);
        if (!found || !found->is_array()) continue;
        for (boost::json::value& one : found->get_array())
            if (one.is_object()) one.get_object().erase("guards");
    }
}

/** The node alone, with empty ones in the place of those that it hands over to. */
weft::graph_spec only_node(const weft::graph_spec& spec, const weft::node_spec& node)
{
    weft::graph_spec only;
    only.name = spec.name;
    only.description = spec.description;
    only.goal = spec.goal;
    only.conversation = spec.conversation;
    only.defaults = spec.defaults;
    only.state = spec.state;
    only.nodes.push_back(node);
    only.nodes.front().goes_to.clear();
    only.nodes.front().retry.emplace();
    only.nodes.front().retry->attempts_max = 1;
    forget_guards(only.nodes.front().settings);
    for (const std::string& target : hand_over_targets(node)) {
        if (target == node.name) continue;
        weft::node_spec& other = only.nodes.emplace_back();
        other.name = target;
        other.kind = "join";
    }
    weft::edge_spec edge;
    edge.from = weft::start;
    edge.to = node.name;
    only.edges.push_back(std::move(edge));
    return only;
}

/** One look: at the first request, or at the one after an opening. */
struct prompt_look {
    weft::graph_spec what;
    boost::json::object inputs;
    std::optional<weft::message> opening = {};
    std::string agent = {};
};

/** A call by which a supervisor asks a worker. */
weft::message task_for(const std::string& worker)
{
    weft::message asking = weft::message::assistant("");
    asking.tool_calls.push_back({"look", std::string{weft::delegation_prefix} + worker, R"({"task":"Its task."})"});
    return asking;
}

std::vector<prompt_look> looks_at(const weft::graph_spec& spec, const weft::node_spec& node,
                                  const boost::json::object& inputs)
{
    const prompt_look plain{only_node(spec, node), inputs};
    std::vector<prompt_look> looks;
    if (node.kind == "team")
        for (const std::string& member : names_in(node, "members", "name")) {
            prompt_look& look = looks.emplace_back(plain);
            look.agent = member;
            boost::json::object& settings = look.what.nodes.front().settings;
            settings["first"] = member;
            const boost::json::value* const active = settings.if_contains("active");
            if (active && active->is_string() && !active->get_string().empty())
                look.inputs[active->get_string()] = member;
        }
    else looks.push_back(plain);
    if (node.kind == "supervisor")
        for (const std::string& worker : names_in(node, "workers", "name")) {
            prompt_look& look = looks.emplace_back(plain);
            look.agent = worker;
            look.opening = task_for(worker);
        }
    return looks;
}

prompt_view view_of(const prompt_look& look, const std::shared_ptr<const weft::tool_set>& tools)
{
    const auto model = std::make_shared<noting_model>(look.opening);
    prompt_view view;
    view.node = look.what.nodes.front().name;
    view.agent = look.agent;
    weft::agent_surroundings around{.model = model, .tools = tools};
    around.asks_by_interrupt = true;
    around.loops.on_prompt = [&view](const weft::composed_prompt& made) { view.layers = made; };
    weft::node_registry registry;
    weft::add_agent_kinds(registry, around);
    const weft::loaded_graph loaded = weft::load_graph(look.what, registry);
    const auto note = [&view, &model](const weft::run_event& event) {
        const bool is_warning =
            event.what == weft::run_event::kind::output && event.label == weft::agent_event::warning;
        // Behind the question the node only says that this look has not answered it.
        if (is_warning && model->is_open() && !model->seen()) view.warnings.push_back(event.text);
    };
    boost::json::object inputs = look.inputs;
    const weft::run_result result =
        weft::run_blocking(loaded.what, weft::run_request{"a look"}.input(std::move(inputs)).on_event(note));
    if (!model->seen()) throw usage_error{"--prompt: the node came to no question: " + result.message()};
    for (const weft::message& one : model->seen()->messages) view.messages.push_back(one);
    for (const weft::tool_spec& one : model->seen()->tools) view.tools.push_back(one);
    return view;
}

std::string title_of(std::string_view what) { return "\n--- " + std::string{what} + "\n"; }

std::string layers_text(const weft::composed_prompt& prompt)
{
    std::vector<std::vector<std::string>> rows{{"layer", "tokens", "stays", "fate"}};
    for (const weft::section_report& one : prompt.sections)
        rows.push_back({one.id, std::to_string(one.used.count()),
                        boost::describe::enum_to_string(one.stability, "?"),
                        boost::describe::enum_to_string(one.fate, "?") +
                            (one.why.empty() ? std::string{} : ": " + one.why)});
    return table_of(rows) + "  " + std::to_string(prompt.total.count()) + " of at most " +
           std::to_string(prompt.budget.count()) + " tokens\n";
}

}  // namespace

std::vector<prompt_view> view_prompts(const weft::graph_spec& spec, std::string_view node,
                                      const boost::json::object& inputs,
                                      const std::shared_ptr<const weft::tool_set>& tools)
{
    std::vector<prompt_view> views;
    for (const prompt_look& look : looks_at(spec, node_that_asks(spec, node), inputs))
        views.push_back(view_of(look, tools));
    return views;
}

std::string text_of(const prompt_view& view)
{
    const std::string of = view.agent.empty() ? "" : "'" + console::harmless_line(view.agent) + "' of ";
    std::string text = "What " + of + "'" + console::harmless_line(view.node) + "' tells its model first\n";
    for (const std::string& one : view.warnings) text += "  note: " + console::harmless_line(one) + "\n";
    if (view.layers) text += layers_text(*view.layers);
    for (const weft::message& one : view.messages)
        text += title_of(weft::name_of(one.role)) + console::harmless(one.text()) + "\n";
    if (view.tools.empty()) return text;
    text += title_of("tools");
    std::vector<std::vector<std::string>> rows;
    for (const weft::tool_spec& one : view.tools) rows.push_back({one.name, one.description});
    return text + table_of(rows);
}

}  // namespace weft_cli
