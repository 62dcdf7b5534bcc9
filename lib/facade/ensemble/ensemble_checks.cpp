#include "ensemble_checks.hpp"

#include <algorithm>

namespace weft::engine_detail {

namespace {

using plan = ensemble_graph::plan;

bool is_state(const plan& of, std::string_view name)
{
    return std::any_of(of.states.begin(), of.states.end(), [name](const auto& state) { return state.name == name; });
}

std::string known_states(const plan& of)
{
    std::string text;
    for (const auto& state : of.states) text.append(text.empty() ? "" : ", ").append(state.name);
    return " Known: [" + text + "]";
}

/** One way out of a state, as the checks see it. */
struct way {
    std::string who;
    std::string from;
    std::string to;
};

std::vector<way> ways_of(const plan& of)
{
    std::vector<way> ways;
    for (std::size_t i = 0; i < of.edges.size(); ++i)
        ways.push_back({"edge[" + std::to_string(i) + "]", of.edges[i].from, of.edges[i].to});
    for (const auto& fan_out : of.fan_outs)
        for (const std::string& target : fan_out.targets)
            ways.push_back({"fan_out of '" + fan_out.from + "'", fan_out.from, target});
    for (const auto& decision : of.decisions)
        for (const std::string& target : decision.targets)
            ways.push_back({"edge_llm of '" + decision.from + "'", decision.from, target});
    return ways;
}

class checker {
public:
    checker(const plan& of, const missing_agents& missing) : of_{of}, missing_{missing} {}

    std::vector<std::string> check()
    {
        if (is_blank(of_.name)) found_.emplace_back("Graph name must be non-blank");
        check_states();
        if (of_.max_steps < 1) add("maxSteps must be >= 1, got: " + std::to_string(of_.max_steps));
        check_start();
        const std::vector<way> ways = ways_of(of_);
        for (const way& w : ways) check_way(w);
        for (const auto& state : of_.states)
            if (std::none_of(ways.begin(), ways.end(), [&](const way& w) { return w.from == state.name; }))
                add("state '" + state.name + "' has no outgoing edges. Add an edge to another state or to Graph.END");
        for (const std::string& name : of_.no_feedback)
            if (!is_state(of_, name))
                add("stateNoFeedback '" + name + "' is not a declared state." + known_states(of_));
        return std::move(found_);
    }

private:
    void add(const std::string& what) { found_.push_back("Graph '" + of_.name + "' " + what); }

    void check_states()
    {
        if (of_.states.empty()) add("must declare at least one state");
        for (const auto& state : of_.states) {
            if (state.name == ensemble_graph::end || state.name == weft::start || state.name == weft::end)
                add("state name '" + state.name + "' is reserved");
            if (!state.task && !state.inner) add("state '" + state.name + "' has no task");
            else if (const auto why = missing_.find(state.name); why != missing_.end())
                add("state '" + state.name + "': " + why->second);
            else if (state.task && !state.task->work && !state.agent)
                add("state '" + state.name + "': Task has no LLM source. Give it a callable that does its work, or the "
                    "builder agents() and the task a description");
            if (state.task && state.task->work) check_words_only(state.name, *state.task);
        }
    }

    /** What only an agent heeds. */
    void check_words_only(const std::string& name, const ensemble_task& task)
    {
        if (!task.tools.empty() || !task.memory.empty() || !task.review.empty())
            add("state '" + name + "': tools, memory and review belong to a task of words; a callable does this one");
    }

    void check_start()
    {
        if (of_.start.empty()) add("must declare a start state via .start(name)");
        else if (of_.start == ensemble_graph::end) add("start state must not be Graph.END");
        else if (!is_state(of_, of_.start))
            add("start state '" + of_.start + "' is not a declared state." + known_states(of_));
    }

    void check_way(const way& w)
    {
        if (is_blank(w.from)) add(w.who + " 'from' must be non-blank");
        else if (w.from == ensemble_graph::end) add(w.who + " 'from' = '" + w.from + "': END is terminal");
        else if (!is_state(of_, w.from))
            add(w.who + " 'from' = '" + w.from + "' is not a declared state." + known_states(of_));
        if (is_blank(w.to)) add(w.who + " 'to' must be non-blank");
        else if (w.to != ensemble_graph::end && !is_state(of_, w.to))
            add(w.who + " 'to' = '" + w.to + "' is neither Graph.END nor a declared state." + known_states(of_));
    }

    const plan& of_;
    const missing_agents& missing_;
    std::vector<std::string> found_;
};

}  // namespace

bool is_blank(std::string_view text) noexcept { return text.find_first_not_of(" \t\r\n\f\v") == text.npos; }

std::vector<std::string> mistakes_of(const plan& of, const missing_agents& missing)
{
    return checker{of, missing}.check();
}

}  // namespace weft::engine_detail
