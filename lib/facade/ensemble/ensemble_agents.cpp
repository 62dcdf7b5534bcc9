#include <weft/facade/ensemble_agents.hpp>

#include <weft/agent/react_agent.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/text/ascii_text.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node/question.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/graph/node_context.hpp>

#include <boost/describe/class.hpp>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

namespace agent_detail {

/** An output in a memory scope. Not unnamed: it is described. */
struct ensemble_memory_entry {
    std::string state{};
    std::string text{};
};
BOOST_DESCRIBE_STRUCT(ensemble_memory_entry, (), (state, text))

/** The work of the nodes around an agent of an ensemble. */
class ensemble_agent_nodes {
public:
    ensemble_agent_nodes(std::string state, ensemble_task task, ensemble_agent_options options)
        : state_{std::move(state)}, task_{std::move(task)}, options_{std::move(options)}
    {
    }
    [[nodiscard]] graph build(std::shared_ptr<const ensemble_agent_nodes> self) const;
    [[nodiscard]] std::uint32_t steps_max() const noexcept { return 4 + 2 * options_.reviews_max; }

private:
    using shared = std::shared_ptr<const ensemble_agent_nodes>;

    [[nodiscard]] react_agent make_agent() const;
    [[nodiscard]] item_space scope_of(const node_context& node, const std::string& scope) const;
    [[nodiscard]] std::string prompt_of(const node_context& outer) const;
    static task<void> recall(shared self, node_context& node);
    static task<void> remember(shared self, node_context& node);
    static task<command> review(shared self, node_context& node);

    std::string state_;
    ensemble_task task_;
    ensemble_agent_options options_;
};

namespace {

constexpr state_key<std::string> recalled_key{"recalled"};
constexpr state_key<std::string> wanted_change{"wanted_change"};

/** A name that sorts by time, and that no other entry of the millisecond has. */
std::string name_of_entry(serial_loop& loop)
{
    const auto now = loop.clock().system_now().time_since_epoch();
    std::string name = std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
    name.insert(0, name.size() < 15 ? 15 - name.size() : 0, '0');
    return name + "-" + std::to_string(loop.random().next());
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words)
{
    const std::string lower = ascii_lower_case(trimmed(text));
    return std::find(words.begin(), words.end(), lower) != words.end();
}

}  // namespace

react_agent ensemble_agent_nodes::make_agent() const
{
    react_options options;
    options.name = "agent " + state_;
    const std::string role = task_.role.empty() ? state_ : task_.role;
    // The role is text of the program and no template.
    std::string system = "You are ";
    for (const char c : role) system.append(c == '{' || c == '}' ? 2 : 1, c);
    options.settings.system = system + ". Do the task that you are given, and answer with its result alone.";
    options.settings.model = options_.model_name;
    options.settings.temperature = options_.temperature;
    options.settings.turns_max = options_.turns_max;
    if (options_.tools) options.tools = options_.tools->only(task_.tools);
    else if (!task_.tools.empty()) options.tools = tool_set{}.only(task_.tools);
    options.tool_options = options_.tool_options;
    return react_agent{options_.model, std::move(options)};
}

item_space ensemble_agent_nodes::scope_of(const node_context& node, const std::string& scope) const
{
    return options_.memory->below({"ensemble_memory", std::string{node.thread()}, scope});
}

std::string ensemble_agent_nodes::prompt_of(const node_context& outer) const
{
    std::string text = outer.get(ensemble_agent_keys::prompt);
    if (const std::string* const entries = outer.find(recalled_key)) text += *entries;
    const std::string* const change = outer.find(wanted_change);
    if (!change || change->empty()) return text;
    text += "\n\n## Review\nA person has read your output and wants a change:\n" + *change;
    text += "\n\n### Your output\n" + outer.get(ensemble_agent_keys::output).text;
    return text;
}

task<void> ensemble_agent_nodes::recall(shared self, node_context& node)
{
    if (node.thread().empty()) co_return;
    std::string text;
    for (const std::string& scope : self->task_.memory) {
        const item_space space = self->scope_of(node, scope);
        const std::vector<stored_item> items = co_await space.list(self->options_.memory_entries_max + 1);
        if (!items.empty()) text += "\n\n## Memory: " + scope;
        for (const stored_item& item : items) {
            const auto entry = from_json<ensemble_memory_entry>(item.value);
            text += "\n\n### " + entry.state + "\n" + entry.text;
        }
    }
    node.set(recalled_key, std::move(text));
}

task<void> ensemble_agent_nodes::remember(shared self, node_context& node)
{
    if (node.thread().empty()) co_return;
    const auto make_name = [&node]() -> std::string { return name_of_entry(node.loop()); };
    // Written down with the run: a node that runs again after a crash replaces its entry.
    const std::string name = co_await node.once("name", make_name);
    ensemble_memory_entry entry;
    entry.state = self->state_;
    entry.text = node.get(ensemble_agent_keys::output).text;
    for (const std::string& scope : self->task_.memory) {
        const item_space space = self->scope_of(node, scope);
        boost::json::value value = to_json(entry);
        co_await space.put(name, std::move(value));
        const std::vector<stored_item> items = co_await space.list(self->options_.memory_entries_max + 16);
        for (std::size_t i = 0; i + self->options_.memory_entries_max < items.size(); ++i) {
            const bool was_there = co_await space.erase(items[i].key.name);
            if (!was_there) break;  // another run tidies up as well
        }
    }
}

task<command> ensemble_agent_nodes::review(shared self, node_context& node)
{
    const ensemble_output output = node.get(ensemble_agent_keys::output);
    question asked{self->task_.review};
    asked.help = "'approve' accepts it, 'stop' ends the run, anything else says what is to be changed.";
    asked.about = to_json(output);
    if (self->options_.review_expires.count() > 0) asked.expires_in = self->options_.review_expires;
    const boost::json::value answer = co_await node.interrupt(std::move(asked));
    const std::string said = from_json<std::string>(answer);
    if (is_one_of(said, {"approve", "approved", "yes", "y", "ok"})) co_return command::label("approved");
    const std::string where = "state '" + self->state_ + "'";
    if (is_one_of(said, {"stop", "reject", "no"}))
        throw error{errc::node_failed, where, "a person has stopped it at the review"};
    if (node.visit() >= self->options_.reviews_max)
        throw error{errc::limit_reached, where,
                    "no output was approved in " + std::to_string(node.visit()) + " reviews"};
    node.set(wanted_change, said);
    co_return command::label("change");
}

graph ensemble_agent_nodes::build(shared self) const
{
    const react_agent agent = make_agent();
    const auto first = [self](const node_context& outer) {
        state_update values;
        values.set(react_messages, message::user(self->prompt_of(outer)));
        return values;
    };
    const auto last = [](const state& left, node_context& outer) {
        outer.set(ensemble_agent_keys::output, ensemble_output{left.get(react_answer)});
        return command::next();
    };
    node_options works;
    works.timeout = std::chrono::hours{1};
    graph_builder builder{"agent " + state_};
    builder.state(ensemble_agent_keys::prompt, ensemble_agent_keys::output, recalled_key, wanted_change)
        .node("agent",
              subgraph{.graph = agent.graph(),
                       .shares_keys = false,
                       .make_inputs = first,
                       .take_outputs = last,
                       .steps_max = static_cast<std::uint32_t>(2 * options_.turns_max + 4)},
              std::move(works));
    const bool remembers = !task_.memory.empty();
    const std::string_view behind = remembers ? "remember" : end;
    if (remembers)
        builder.node("recall", [self](node_context& node) { return recall(self, node); })
            .node("remember", [self](node_context& node) { return remember(self, node); })
            .edge("recall", "agent")
            .edge("remember", end);
    builder.edge(start, remembers ? "recall" : "agent");
    if (task_.review.empty()) {
        builder.edge("agent", behind);
        return builder.build();
    }
    node_options faces_person;
    faces_person.faces_client = true;
    builder.node("review", [self](node_context& node) { return review(self, node); }, std::move(faces_person))
        .edge("agent", "review")
        .edge_label("review", {{"approved", std::string{behind}}, {"change", "agent"}});
    return builder.build();
}

}  // namespace agent_detail

ensemble_synthesis ensemble_agents(ensemble_agent_options options)
{
    if (!options.model) throw error{errc::invalid_configuration, "ensemble_agents", "it has no model: give it one"};
    options.reviews_max = std::max(options.reviews_max, std::uint32_t{1});
    return [options = std::move(options)](const std::string& state, const ensemble_task& task) {
        if (!task.memory.empty() && !options.memory)
            throw error{errc::invalid_configuration, "ensemble_agents",
                        "it has memory scopes and there is no store: give ensemble_agent_options a memory"};
        const auto nodes = std::make_shared<const agent_detail::ensemble_agent_nodes>(state, task, options);
        return ensemble_agent{nodes->build(nodes), nodes->steps_max()};
    };
}

}  // namespace weft
