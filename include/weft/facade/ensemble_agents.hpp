#pragma once

#include <weft/base/chrono.hpp>
#include <weft/facade/ensemble/ensemble_agent.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/store/item_space.hpp>
#include <weft/tool/tool_runner.hpp>
#include <weft/tool/tool_set.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace weft {

/** What the agents of an ensemble are made of. */
struct ensemble_agent_options {
    ensemble_agent_options() {}

    std::shared_ptr<chat_model> model{};          ///< Required.
    std::shared_ptr<const tool_set> tools{};      ///< What tasks can name; null: nothing.
    tool_runner_options tool_options{};
    std::string model_name{};                     ///< Another model than the one that `model` was made for.
    std::optional<double> temperature{};
    std::int64_t turns_max = 25;                  ///< Calls of the model in one visit of a state.
    /** Where memory scopes lie, each in the namespace `ensemble_memory`, thread, scope. Required by tasks with some. */
    std::optional<item_space> memory{};
    std::size_t memory_entries_max = 20;          ///< Of a scope; older ones are removed.
    std::uint32_t reviews_max = 5;                ///< Of one visit; then what a person wants changed fails the state.
    /** How long a person may take for a review; zero: any time. */
    std::chrono::nanoseconds review_expires{0};
};

/** Makes an agent of each task of words: a model that calls the task's tools in a loop until it answers.
 *
 *      weft::ensemble_agent_options options;
 *      options.model = model;
 *      weft::ensemble_task write{"Write about {topic}.", "Three sentences."};
 *      write.role = "journalist";
 *      write.tools = {"search"};
 *      write.review = "Can this be published?";
 *      const auto news = weft::ensemble_graph::builder{}.name("news").agents(weft::ensemble_agents(options))
 *                            .state("write", write).edge("write", "__END__").start("write").build();
 *
 *      start ─ recall ─ agent ─ review ─ remember ─ end
 *
 *  The prompt has the agent's role, the task with its variables filled in, what is expected, the revision instructions,
 *  the last output of the other states, and the entries of its memory scopes. `recall` and `remember` read and add
 *  entries; a run without a thread (`ensemble_request::thread`) remembers nothing. `review` asks a person: the run
 *  pauses, or parks, with the question and the output. "approve" (or "yes", "ok") accepts it, "stop" fails the state,
 *  any other answer is what the agent is to change.
 *
 *  @par Errors          `errc::invalid_configuration` without a model. The mistakes of a task come from
 *                       `ensemble_graph::builder::build`: an unknown tool, scopes without `memory`.
 *                       In a run those of the model, the tools and the store; `errc::node_failed`: a person has stopped
 *                       it; `errc::limit_reached`: `reviews_max`.
 *  @par Thread safety   As model and tools.
 *  @par Source          AgentEnsemble: executor, agent synthesis, memory scopes, review gates. */
[[nodiscard]] ensemble_synthesis ensemble_agents(ensemble_agent_options options);

}  // namespace weft
