#include "run_routing.hpp"

#include "run_core.hpp"
#include "run_events.hpp"
#include "run_extras.hpp"

#include <weft/base/error.hpp>
#include <weft/engine/run/route_decider.hpp>
#include <weft/graph/expression.hpp>

#include <exception>
#include <utility>

namespace weft {

run_routing::run_routing(run_core& core) noexcept : core_{core}, graph_{core.graph}, scheduler_{core.scheduler()} {}

bool run_routing::is_watched() const noexcept { return core_.events != nullptr; }

/** Evaluates the condition that a choice asks about. @return  Why it cannot be evaluated; null if it can. */
failure_ptr run_routing::answer_condition(edge_choice& choice, const run_branch& t, const state_view& view,
                                          const written_mapping& output)
{
    const graph_edge& asked = *choice.asked();
    try {
        if (asked.expression) {
            const expression_result result = asked.expression->evaluate(view, &output);
            if (result.has_error() && is_watched()) notify_condition_error(asked, t.node, result.error());
            choice.answer(result.holds());
        } else if (asked.kind == edge_kind::when) {
            choice.answer(asked.holds(view));
        } else {
            const std::string label = (*asked.route)(view);
            choice.answer_label(label);
        }
    } catch (...) {
        choice.give_up();
        return condition_failure(asked, t, errc::condition_failed, text_of(std::current_exception()));
    }
    // A label that no edge has.
    if (const auto& wrong = choice.wrong()) return condition_failure(*wrong->edge, t, wrong->code, wrong->detail);
    return nullptr;
}

void run_routing::choose_edge(branch_index index)
{
    static const write_set nothing;
    const run_branch& t = scheduler_.at(index);
    const bool has_failed = t.has_failed;
    // Conditions see the state of their branch, with what the node has just written; the outputs of a failed node do
    // not count.
    const state_view view{scheduler_.view_of(index)};
    const write_set* const writes = has_failed ? nullptr : scheduler_.where().last_outputs_of(t.node);
    const written_mapping output{writes ? *writes : nothing, view.layout()};
    edge_choice choice = scheduler_.choice_of(index);
    failure_ptr cause;
    while (choice.asked() && !cause) cause = answer_condition(choice, t, view, output);
    // A failed visit is over if an edge leads on; if none does, a resume may begin it again.
    const std::string visit = has_failed ? visit_to_settle(core_, index) : std::string{};
    scheduler_.edge_chosen(index, choice.chosen(), std::move(cause));
    if (has_failed && !scheduler_.at(index).is_visited_again()) settle_visit(core_, visit);
}

void run_routing::notify_condition_error(const graph_edge& edge, node_index source, const std::string& error)
{
    run_event event;
    event.what = run_event::kind::edge_condition_error;
    event.node = graph_.name_of(edge.target);
    event.source = graph_.name_of(source);
    event.number = edge.declared;
    event.label = edge.label;
    event.text = error;
    core_.events->emit(std::move(event));
}

failure_ptr run_routing::condition_failure(const graph_edge& edge, const run_branch& t, errc code,
                                           std::string detail) const
{
    failure wrong;
    wrong.code = code;
    wrong.node = graph_.name_of(t.node);
    wrong.visit = t.visit;
    wrong.message = "node '" + wrong.node + "', edge[" + std::to_string(edge.declared) + "] to '" +
                    std::string{graph_.name_of(edge.target)} + "': " + std::string{describe(code)} + ": " + detail;
    wrong.cause = std::current_exception();
    return std::make_shared<const failure>(std::move(wrong));
}

namespace {

route_question question_at(run_core& core, branch_index index)
{
    const graph& graph = core.graph;
    const graph_node& node = graph.node(core.scheduler().at(index).node);
    route_question question;
    question.graph = graph.name();
    if (graph.goal()) question.goal = to_text(*graph.goal());
    question.node = node.name;
    question.instructions = node.decision->instructions;
    question.model = node.decision->model;
    branch_state& view = core.scheduler().view_of(index);
    const state_layout& layout = view.layout();
    for (std::uint32_t slot = 0; slot < layout.size(); ++slot) {
        const key_type& type = *layout[slot].type;
        // The model gets what the node may have written, not the whole state: that may be large, and secret.
        if (type.is_transient || (node.options->writes && node.scope && !node.scope->writable[slot])) continue;
        if (const value_ptr& value = view.read(slot))
            question.output.emplace(layout[slot].name, type.value->to_json(*value));
    }
    for (const graph_edge& edge : graph.by_llm(node)) {
        const std::string_view described =
            edge.target == end_node ? std::string_view{} : graph.node(edge.target).options->description;
        question.candidates.push_back({graph.name_of(edge.target), described});
    }
    return question;
}

}  // namespace

task<command> ask_decider(run_core& core, branch_index index)
{
    const std::shared_ptr<route_decider> decider = core.request.limits().decider();
    if (!decider)
        throw error{errc::invalid_configuration, "decider", "the run has none for edges of the kind llm: give it one"};
    const route_question question = question_at(core, index);
    std::string answer = co_await decider->decide(question);
    co_return command::label(std::move(answer));
}

route_choice choose_route(const graph& graph, const graph_node& node, node_run& asked)
{
    route_choice choice;
    // A model that fails, is late or answers nonsense never fails the run: it takes the edge that the graph names for
    // that.
    choice.target = node.fallback;
    try {
        if (asked.has_timed_out()) throw error{errc::timeout, "the model", "it did not answer in time"};
        route_answer answer = read_route_answer(asked.answer().text());
        for (const graph_edge& edge : graph.by_llm(node))
            if (graph.name_of(edge.target) == answer.target) {
                choice.target = edge.target;
                choice.what = run_event::kind::route_decided;
                choice.text = std::move(answer.reasoning);
            }
        if (choice.what == run_event::kind::route_fallback)
            throw error{errc::unknown_node, "the answer of the model", "'" + answer.target + "' is no candidate"};
    } catch (...) {
        choice.text = text_of(std::current_exception());
    }
    choice.name = graph.name_of(choice.target);
    return choice;
}

}  // namespace weft
