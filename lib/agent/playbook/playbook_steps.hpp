#pragma once

#include <weft/agent/playbook/playbook_graph.hpp>
#include <weft/async/task.hpp>
#include <weft/graph/node/command.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/model/chat_request.hpp>
#include <weft/tool/tool_runner.hpp>

#include "playbook_text.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

class node_context;

namespace agent_detail {

inline constexpr std::uint32_t playbook_steps_max = 100'000;

/** What all nodes of a playbook share; never changed. */
struct compiled_playbook {
    playbook_definition of;
    playbook_options options;
    std::optional<graph> agent;
    std::shared_ptr<chat_model> model;
    std::optional<tool_runner> runner;
};

/** The work of a node of a playbook, by its index, that is neither an agent nor a sub-workflow. */
[[nodiscard]] task<command> do_playbook_step(std::shared_ptr<const compiled_playbook> playbook, std::size_t index,
                                             node_context& node);
/** A loop: goes into its body, or out of it. */
[[nodiscard]] task<command> do_playbook_loop(std::shared_ptr<const compiled_playbook> playbook, std::size_t index,
                                             node_context& node);

/** A sub-workflow as the work of a node. */
[[nodiscard]] subgraph playbook_inside(std::shared_ptr<const compiled_playbook> playbook, std::size_t index,
                                       graph inner);

/** A graph that runs the playbook of the library that `playbook_keys::transfer` names, and those that it transfers to.
 *  @par Errors   As `playbook_run_graph`, of every playbook of the library. */
[[nodiscard]] graph playbook_library_graph(const playbook_options& options);

// What the nodes have in common.

/** What has been left, by label. */
[[nodiscard]] const boost::json::object& playbook_outputs(const node_context& node);
/** A template with the values that a node sees. */
[[nodiscard]] std::string fill_in_node(const node_context& node, std::string_view text);
/** Writes down what a node leaves. @param thread   Of its agent; else empty. */
void keep_playbook_output(node_context& node, const playbook_node& of, boost::json::value result,
                          const std::string& thread = {});
/** What a question to the model that decides is for. */
enum class playbook_question : std::uint8_t {
    work,    ///< Its answer is a node's result, and the question is one of the playbook: guardrails look at both.
    result,  ///< Its answer is a node's result; the question has what an agent said.
    choice,  ///< It says how to go on, or what an agent is told, which guardrails look at there.
};
/** What the playbook was started with and what its nodes have left, for a model; bounded, the newest first to stay. */
[[nodiscard]] std::string playbook_progress(const node_context& node);
/** A question to the model that leads the playbook, behind the conversation of the agent that runs it, if one does. */
[[nodiscard]] chat_request playbook_request(const compiled_playbook& own, const node_context& node,
                                            std::string question);
/** Asks the model that leads. @par Errors   Those of the model; `errc::timeout`; `guardrail_error`.
 *  @par Lifetimes   All but the request outlives the task. */
[[nodiscard]] task<std::string> ask_playbook_model(const compiled_playbook& own, chat_request request,
                                                   node_context& node, playbook_question what_for);
/** The same with a question alone. */
[[nodiscard]] task<std::string> ask_playbook_model(const compiled_playbook& own, std::string question,
                                                   node_context& node, playbook_question what_for);
/** What the nodes that lead to another one left last, by label; only those for which `counts`. */
template <class Counts>
[[nodiscard]] boost::json::object playbook_results_before(const compiled_playbook& own, const std::string& id,
                                                          const node_context& node, Counts counts)
{
    boost::json::object results;
    const boost::json::object& outputs = playbook_outputs(node);
    for (const playbook_edge& edge : own.of.edges) {
        if (edge.target != id || !counts(edge.source)) continue;
        const playbook_node* const source = own.of.find(edge.source);
        const boost::json::value* const record = source ? outputs.if_contains(source->name()) : nullptr;
        const boost::json::value* const result = record ? record->as_object().if_contains("result") : nullptr;
        if (result) results[source->name()] = *result;
    }
    return results;
}

}  // namespace agent_detail
}  // namespace weft
