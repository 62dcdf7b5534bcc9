#pragma once

#include <weft/async/task.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** What a model is asked that chooses where a run goes on: one question for all candidates. */
struct route_question {
    struct candidate {
        std::string_view node;
        std::string_view description;  ///< `node_options::description`; may be empty.
    };

    std::string_view graph;
    std::string goal;                  ///< `to_text` of the graph's goal; empty if it has none.
    std::string_view node;             ///< The node that has just succeeded.
    std::string_view instructions;     ///< `llm_options::instructions`.
    std::string_view model;            ///< `llm_options::model`; empty: the decider's own.
    boost::json::object output;        ///< The keys that the node declares to write, or else all; no transient ones.
    std::vector<candidate> candidates;
};

/** Answers routing questions, as a rule with a language model. The engine itself knows no model.
 *
 *  @par Thread safety   One object serves all runs on all OS threads.
 */
class route_decider {
public:
    virtual ~route_decider() = default;

    /** @param question     Valid until the task has ended; its texts belong to the graph.
     *  @return             A text that has a JSON object in it, `{"target": "<candidate>", "reasoning": "…"}`.
     *
     *  @par Errors         Whatever it throws: then, as after a useless answer or too long a wait, the fallback edge is
     *                      taken and an event says why.
     *  @par Cancellation   A stop of the run reaches it. */
    [[nodiscard]] virtual task<std::string> decide(const route_question& question) = 0;
};

/** What a model's answer to a routing question says. */
struct route_answer {
    std::string target;
    std::string reasoning;
};

/** Reads an answer: the first JSON object in `text` that has a `target`.
 *  @par Errors  `invalid_json` if there is none. */
[[nodiscard]] route_answer read_route_answer(std::string_view text);

}  // namespace weft
