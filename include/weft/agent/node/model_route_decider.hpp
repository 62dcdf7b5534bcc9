#pragma once

#include <weft/engine/run/route_decider.hpp>
#include <weft/model/chat_model.hpp>

#include <memory>
#include <string>

namespace weft {

/** Lets a model choose where a run goes on: one call for each decision, at temperature 0. The edge may name the model
 *  (`llm_options::model`).
 *
 *      options.decider(std::make_shared<weft::model_route_decider>(model))
 *
 *  The model gets the goal, what the node wrote (long values are cut), the candidates with their descriptions and the
 *  instructions of the edge, and is asked for `{"target": …, "reasoning": …}`, the target being one of the candidates.
 *
 *  @par Errors          Those of `chat_model::reply`.
 *  @par Thread safety   As the model.
 */
class model_route_decider final : public route_decider {
public:
    /** @param another   Another model than the one that `model` was made for, by its name; empty: that one. */
    explicit model_route_decider(std::shared_ptr<chat_model> model, std::string another = {});

    [[nodiscard]] task<std::string> decide(const route_question& question) override;

private:
    std::shared_ptr<chat_model> model_;
    std::string another_;
};

}  // namespace weft
