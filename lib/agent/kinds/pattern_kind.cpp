#include "pattern_kind.hpp"

#include "agent/core/number_range.hpp"
#include "agent/guard/guard_checks.hpp"
#include "agent/node/kind_checks.hpp"
#include "agent/text/graph_kind_body.hpp"

#include <weft/agent/llm_node.hpp>
#include <weft/agent/pattern/pattern_concurrent.hpp>
#include <weft/agent/pattern/pattern_debate.hpp>
#include <weft/agent/pattern/pattern_map_reduce.hpp>
#include <weft/agent/pattern/pattern_plan.hpp>
#include <weft/agent/pattern/pattern_sequence.hpp>
#include <weft/agent/prompt/prompt_template.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/graph/node_context.hpp>

#include <utility>

namespace weft {

namespace {

/** Braces that are no places of a template. */
std::string without_places(const std::string& text)
{
    std::string doubled;
    for (const char c : text) doubled.append(c == '{' || c == '}' ? 2 : 1, c);
    return doubled;
}

/** What a graph of participants is made of. */
struct pattern_team {
    [[nodiscard]] patterns::participant with(const pattern_member& member) const;

    std::shared_ptr<chat_model> model;
    std::shared_ptr<const guardrails> guards;  ///< Of all replies; the task was looked at before.
};

patterns::participant pattern_team::with(const pattern_member& member) const
{
    llm_node_options options;
    options.guards = guards;
    options.settings.system = without_places(member.system);
    options.settings.prompt = "{task}";
    options.settings.set_sampling(member);
    options.settings.scripted = member.scripted;
    options.writes = {std::string{patterns::answer.name()}};
    return {member.name, llm_node{model, std::move(options)}};
}

/** A setting that only some patterns have. */
void check_only(node_request& request, std::string_view member, bool is_given, bool is_taken, std::string_view whose)
{
    if (is_given && !is_taken) request.mistake(member, "is only for the pattern " + std::string{whose});
}

void check_member(node_request& request, std::string_view member, const pattern_member& one)
{
    for (const std::string& fault : one.faults()) {
        const std::size_t end = fault.find(": ");
        request.mistake(std::string{member} + "." + fault.substr(0, end), fault.substr(end + 2));
    }
    if (one.name.empty()) request.mistake(std::string{member} + ".name", "is empty: answers are told with it");
}

void check_pattern(node_request& request, const pattern_settings& settings)
{
    const pattern_choice how = settings.pattern;
    const bool is_plan = how == pattern_choice::plan_and_execute;
    const bool is_map = how == pattern_choice::map_reduce;
    check_only(request, "judge", settings.judge.has_value(), how == pattern_choice::concurrent, "concurrent");
    check_only(request, "planner", settings.planner.has_value(), is_plan || is_map, "plan_and_execute or map_reduce");
    check_only(request, "editor", settings.editor.has_value(), is_map, "map_reduce");
    check_only(request, "rounds_max", settings.rounds_max.has_value(), how == pattern_choice::debate, "debate");
    check_only(request, "plans_max", settings.plans_max.has_value(), is_plan, "plan_and_execute");
    check_only(request, "steps_max", settings.steps_max.has_value(), is_plan, "plan_and_execute");
    check_only(request, "items_max", settings.items_max.has_value(), is_map, "map_reduce");
    check_only(request, "concurrency_max", settings.concurrency_max.has_value(),
               is_map || how == pattern_choice::concurrent, "concurrent or map_reduce");
    std::vector<std::string> faults;
    constexpr agent_detail::number_range limit{1, 1'000'000};
    agent_detail::check_range(faults, "rounds_max", settings.rounds_max, limit);
    agent_detail::check_range(faults, "plans_max", settings.plans_max, limit);
    agent_detail::check_range(faults, "steps_max", settings.steps_max, limit);
    agent_detail::check_range(faults, "items_max", settings.items_max, limit);
    agent_detail::check_range(faults, "concurrency_max", settings.concurrency_max, limit);
    agent_detail::tell_faults(request, faults);
    for (std::size_t i = 0; i < settings.members.size(); ++i)
        check_member(request, "members[" + std::to_string(i) + "]", settings.members[i]);
    if (settings.judge) check_member(request, "judge", *settings.judge);
    if (settings.planner) check_member(request, "planner", *settings.planner);
    if (settings.editor) check_member(request, "editor", *settings.editor);
    if (is_plan && !settings.planner) request.mistake("planner", "is missing: somebody has to make the plan");
    if ((is_plan || is_map) && settings.members.size() != 1)
        request.mistake("members", "are " + std::to_string(settings.members.size()) +
                                       ": one does the work of this pattern; others are planner or editor");
}

graph graph_of_pattern(const std::string& name, const pattern_settings& settings, const pattern_team& of)
{
    std::vector<patterns::participant> team;
    for (const pattern_member& member : settings.members) team.push_back(of.with(member));
    const auto concurrency = static_cast<std::uint32_t>(settings.concurrency_max.value_or(0));
    switch (settings.pattern) {
    case pattern_choice::sequence: break;
    case pattern_choice::concurrent: {
        patterns::concurrent_options options;
        if (settings.judge) options.judge = of.with(*settings.judge);
        options.concurrency_max = concurrency;
        return patterns::concurrent(name, std::move(team), std::move(options));
    }
    case pattern_choice::debate: {
        patterns::debate_options options;
        if (settings.rounds_max) options.rounds_max = *settings.rounds_max;
        return patterns::debate(name, std::move(team), std::move(options));
    }
    case pattern_choice::plan_and_execute: {
        patterns::plan_options options;
        if (settings.plans_max) options.plans_max = *settings.plans_max;
        if (settings.steps_max) options.steps_max = *settings.steps_max;
        return patterns::plan_and_execute(name, of.with(*settings.planner), team.front(), options);
    }
    case pattern_choice::map_reduce: {
        patterns::map_reduce_options options;
        if (settings.planner) options.split = of.with(*settings.planner);
        if (settings.editor) options.reduce = of.with(*settings.editor);
        if (settings.items_max) options.items_max = static_cast<std::size_t>(*settings.items_max);
        options.concurrency_max = concurrency;
        return patterns::map_reduce(name, team.front(), std::move(options));
    }
    }
    return patterns::sequence(name, std::move(team));
}

task<void> look_at_task(std::shared_ptr<const guardrails> guards, const prompt_template& task, node_context& node)
{
    guard_subject subject{guard_stage::input, task.fill(node).text};
    subject.messages.push_back(message::user(subject.text));
    const agent_detail::guard_place place{"node '" + std::string{node.node()} + "'", &node};
    const agent_detail::guard_outcome passed =
        co_await agent_detail::pass_all_guards(guards->input, std::move(subject), place);
    static_cast<void>(passed);
}

/** What comes before the graph: guardrails of the input, once for all who take part. */
agent_detail::graph_kind_work work_before(const std::string& task, std::shared_ptr<const guardrails> guards)
{
    if (!guards || guards->input.empty()) return {};
    return {.before = [text = prompt_template{task}, guards = std::move(guards)](node_context& node) {
        return look_at_task(guards, text, node);
    }};
}

/** The guardrails that look at replies; null if there are none. */
std::shared_ptr<const guardrails> guards_of_replies(const std::shared_ptr<const guardrails>& all)
{
    if (!all || all->output.empty()) return nullptr;
    auto of_replies = std::make_shared<guardrails>(*all);
    of_replies->input.clear();
    return of_replies;
}

/** The graph as the work of a node that fills the template in and writes the key. */
subgraph work_of_pattern(graph what, const std::string& task, const std::string& key)
{
    const auto first = [task = prompt_template{task}](const node_context& outer) {
        return state_update{}.set(patterns::given_task, task.fill(outer).text);
    };
    const auto last = [key](const state& inner, node_context& outer) {
        const std::uint32_t slot = outer.layout().find(key);
        outer.write({slot, false, false, make_box<std::string>(inner.get(patterns::answer))});
        return command::next();
    };
    return subgraph{.graph = std::move(what), .shares_keys = false, .make_inputs = first, .take_outputs = last};
}

/** The one key that the node writes, which takes texts; empty after a mistake. */
std::string key_of_answer(node_request& request)
{
    const auto& writes = request.spec().writes;
    if (!writes || writes->size() != 1) {
        request.mistake("", "the answer goes to one key: name it, and no other, in \"writes\"");
        return {};
    }
    const std::uint32_t slot = request.layout().find(writes->front());
    if (slot == state_layout::none) return {};  // told where the keys stand
    if (request.layout()[slot].type->update == &value_type_of<std::string>) return writes->front();
    request.mistake("", "the answer is a text, which the key '" + writes->front() + "' does not take");
    return {};
}

std::shared_ptr<const node_body> make_pattern(node_request& request, const std::shared_ptr<chat_model>& model)
{
    const std::size_t before = request.mistakes().count();
    const std::optional<pattern_settings> settings = request.settings<pattern_settings>();
    const std::string key = key_of_answer(request);
    if (!settings) return nullptr;
    agent_detail::check_template(request, "task", settings->task);
    check_pattern(request, *settings);
    agent_detail::tell_faults(request, json_path{request.settings_at(), "guards"}, settings->guards.faults());
    std::shared_ptr<const guardrails> guards = agent_detail::model_guards(settings->guards, nullptr, model);
    if (request.mistakes().count() != before) return nullptr;
    if (key.empty()) return request.registry().nothing();
    return agent_detail::made_or_mistake(request, "members", [&] {
        const pattern_team team{model, guards_of_replies(guards)};
        subgraph work = work_of_pattern(graph_of_pattern(request.spec().name, *settings, team), settings->task, key);
        return agent_detail::graph_kind_body(
            std::move(work), {"pattern", spec_detail::write_structure(*settings), std::vector<std::string>{key}},
            work_before(settings->task, std::move(guards)));
    });
}

}  // namespace

node_kind pattern_kind(std::shared_ptr<chat_model> model)
{
    return {[model = std::move(model)](node_request& request) { return make_pattern(request, model); }, false};
}

}  // namespace weft
