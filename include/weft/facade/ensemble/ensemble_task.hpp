#pragma once

#include <weft/base/list.hpp>
#include <weft/graph/node/node.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

/** What a task gives back: a text, and JSON where it has structure. */
struct ensemble_output {
    std::string text;
    boost::json::value json;  ///< Null for a text alone.

    // Implicit: a task gives back a text or JSON, and need not say more.
    ensemble_output() = default;
    ensemble_output(std::string words) : text{std::move(words)} {}
    ensemble_output(const char* words) : text{words} {}
    ensemble_output(boost::json::value value) : text{boost::json::serialize(value)}, json(std::move(value)) {}
};
BOOST_DESCRIBE_STRUCT(ensemble_output, (), (text, json))

/** One visit of a state that has completed. */
struct ensemble_visit {
    std::string state;
    ensemble_output output;
};
BOOST_DESCRIBE_STRUCT(ensemble_visit, (), (state, output))

/** The visits of a run so far, in the order in which they completed. */
using ensemble_history = list<ensemble_visit>;
/** Values of the variables in task descriptions: `{topic}`. */
using ensemble_inputs = std::map<std::string, std::string>;

/** The keys in which an ensemble keeps its state. */
inline constexpr state_key<ensemble_history, append> ensemble_history_key{"ensemble_history"};
inline constexpr state_key<ensemble_inputs> ensemble_inputs_key{"ensemble_inputs"};

/** What a state sees when it is visited: the words of its task, what came before, and what to make better on a further
 *  visit.
 *
 *  @par Thread safety   None: use it on the run's loop.
 *  @par Lifetimes       Valid until the visit has ended.
 */
class ensemble_task_view {
public:
    /** What a task is told on a further visit of its state. */
    struct revision_info {
        std::uint32_t attempt;          ///< The visit less one.
        std::string feedback;
        ensemble_output prior_output;   ///< Of the same state's visit before, not of the step before.
    };
    /** The texts of a task, before their variables are resolved. */
    struct words {
        std::string_view description;
        std::string_view expected_output;
    };
    /** How much of the history a task sees; by default all of it. */
    using window_function = std::function<std::size_t(std::size_t size)>;

    ensemble_task_view(const node_context& node, const words& task, const window_function& window = {});

    /** The name of the state, and which visit this is, from 1. */
    [[nodiscard]] std::string_view state() const noexcept { return seen_.node(); }
    [[nodiscard]] std::uint32_t visit() const noexcept { return seen_.visit(); }
    /** The task's texts, with their variables resolved. */
    [[nodiscard]] const std::string& description() const noexcept { return description_; }
    [[nodiscard]] const std::string& expected_output() const noexcept { return expected_output_; }
    /** Nothing on the first visit, or where feedback is turned off. */
    [[nodiscard]] const std::optional<revision_info>& revision() const noexcept { return revision_; }
    /** The steps before this one. */
    [[nodiscard]] const ensemble_history& history() const noexcept { return history_; }
    /** Of the step before; null in the first. */
    [[nodiscard]] const ensemble_output* last_output() const noexcept
    {
        return history_.empty() ? nullptr : &history_.back().output;
    }
    /** What to tell a model: the description, the expected output, and the revision instructions if there are any. */
    [[nodiscard]] std::string prompt() const;
    /** The same with the last output of each other state in the history, at most `bytes_max` of each. */
    [[nodiscard]] std::string prompt_with_context(std::size_t bytes_max = 8'000) const;

private:
    const node_context& seen_;
    std::string description_;
    std::string expected_output_;
    ensemble_history history_;
    std::optional<revision_info> revision_;
};

/** What the callable of a task sees. */
class ensemble_task_context : public ensemble_task_view {
public:
    ensemble_task_context(node_context& node, const words& task, const window_function& window = {})
        : ensemble_task_view{node, task, window}, node_{node}
    {
    }
    /** The node of the engine, for memory, questions, events and stops. */
    [[nodiscard]] node_context& node() const noexcept { return node_; }

private:
    node_context& node_;
};

/** The work of a task, whatever the callable was. */
using ensemble_work = std::function<task<ensemble_output>(ensemble_task_context&)>;

namespace engine_detail {

/** Calls work with the context, if it takes one. */
template <class Function>
decltype(auto) call_ensemble_work(const Function& work, ensemble_task_context& context)
{
    if constexpr (std::is_invocable_v<const Function&, ensemble_task_context&>)
        return work(context);
    else
        return work();
}

/** `work` belongs to the graph, which outlives the run. */
template <class Function>
task<ensemble_output> run_ensemble_work(const Function& work, ensemble_task_context& context)
{
    if constexpr (graph_detail::is_task<decltype(call_ensemble_work(work, context))>) {
        auto output = co_await call_ensemble_work(work, context);
        co_return ensemble_output{std::move(output)};
    } else {
        co_return ensemble_output{call_ensemble_work(work, context)};
    }
}

}  // namespace engine_detail

/** What a state does.
 *
 *      weft::ensemble_task{"Write a page about {topic}.", write, "A page without headings"}
 *
 *  It has words for a model or a person, and a callable on `ensemble_task_context&`, or on nothing, that
 *  gives an `ensemble_output`, a text or JSON; or a coroutine (`task`) of one of these.
 *
 *  @par Thread safety   One object serves all runs on all OS threads; the callable must bear that.
 */
struct ensemble_task {
    std::string description;
    std::string expected_output;
    ensemble_work work;

    // Of tasks of words, which an agent does.
    std::string role{};                 ///< Of the agent, e.g. `editor`; empty: the state's name.
    std::vector<std::string> tools{};   ///< Names of those that the agents of the ensemble may have.
    /** Scopes of memory: the agent reads what earlier visits and runs of the same thread left there, and adds its
     *  output. */
    std::vector<std::string> memory{};
    /** A question to a person about the output, e.g. "Can this be published?"; empty: no review. */
    std::string review{};

    ensemble_task() = default;
    /** Words only: `ensemble_graph::builder::agents` makes an agent of it. */
    explicit ensemble_task(std::string description, std::string expected_output = {})
        : description{std::move(description)}, expected_output{std::move(expected_output)}
    {
    }
    template <class Function>
        requires(std::is_invocable_v<const Function&, ensemble_task_context&> ||
                 std::is_invocable_v<const Function&>)
    ensemble_task(std::string description, Function does, std::string expected_output = {})
        : description{std::move(description)}, expected_output{std::move(expected_output)},
          work{[does = std::move(does)](ensemble_task_context& context) {
              return engine_detail::run_ensemble_work(does, context);
          }}
    {
    }
};

/** A text with `{name}` replaced by the value of `name`.
 *  @par Errors  `invalid_configuration` lists the names that have no value. */
[[nodiscard]] std::string resolve_variables(std::string_view text, const ensemble_inputs& inputs);
/** The same, but names that have no value stay as they are. */
[[nodiscard]] std::string resolve_known_variables(std::string_view text, const ensemble_inputs& inputs);

}  // namespace weft
