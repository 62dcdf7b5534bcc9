#include "prompt_view.hpp"

#include "console.hpp"
#include "run_input.hpp"
#include "text_table.hpp"

#include <weft/agent/agent_kinds.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_spec_reader.hpp>
#include <weft/graph/node_registry.hpp>
#include <weft/model/chat_model.hpp>

#include <boost/describe/enum_to_string.hpp>

#include <algorithm>
#include <utility>

namespace weft_cli {

namespace {

/** Takes note of the first request, and fails. */
class noting_model final : public weft::chat_model {
public:
    [[nodiscard]] std::string_view label() const noexcept override { return "nobody"; }
    [[nodiscard]] const std::optional<weft::chat_request>& seen() const noexcept { return seen_; }

private:
    weft::task<weft::chat_reply> do_reply(weft::chat_request request, weft::chat_sink&) override
    {
        if (!seen_) seen_.emplace(std::move(request));
        return refuse();
    }

    static weft::task<weft::chat_reply> refuse()
    {
        throw weft::error{weft::errc::model_rejected, "nobody", "this is only a look at the prompt"};
        co_return weft::chat_reply{};
    }

    std::optional<weft::chat_request> seen_;
};

bool asks_a_model(const weft::node_spec& node) { return node.kind == "llm" || node.kind == "event_loop"; }

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

/** The node alone. */
weft::graph_spec only_node(const weft::graph_spec& spec, const weft::node_spec& node)
{
    weft::graph_spec only;
    only.name = spec.name;
    only.defaults = spec.defaults;
    only.state = spec.state;
    only.nodes.push_back(node);
    only.nodes.front().goes_to.clear();
    only.nodes.front().retry.emplace();
    only.nodes.front().retry->attempts_max = 1;
    weft::edge_spec edge;
    edge.from = weft::start;
    edge.to = node.name;
    only.edges.push_back(std::move(edge));
    return only;
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

prompt_view view_prompt(const weft::graph_spec& spec, std::string_view node, boost::json::object inputs,
                        std::shared_ptr<const weft::tool_set> tools)
{
    const weft::node_spec& asked = node_that_asks(spec, node);
    const auto model = std::make_shared<noting_model>();
    prompt_view view;
    view.node = asked.name;
    weft::agent_surroundings around{.model = model, .tools = std::move(tools)};
    around.asks_by_interrupt = true;
    around.loops.on_prompt = [&view](const weft::composed_prompt& made) { view.layers = made; };
    weft::node_registry registry;
    weft::add_agent_kinds(registry, around);
    const weft::loaded_graph loaded = weft::load_graph(only_node(spec, asked), registry);
    const auto note = [&view](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::output && event.label == "warning")
            view.warnings.push_back(event.text);
    };
    const weft::run_result result =
        weft::run_blocking(loaded.what, weft::run_request{"a look"}.input(std::move(inputs)).on_event(note));
    if (!model->seen()) throw usage_error{"--prompt: the node came to no question: " + result.message()};
    for (const weft::message& one : model->seen()->messages) view.messages.push_back(one);
    for (const weft::tool_spec& one : model->seen()->tools) view.tools.push_back(one);
    return view;
}

std::string text_of(const prompt_view& view)
{
    std::string text = "What '" + console::harmless_line(view.node) + "' tells its model first\n";
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
