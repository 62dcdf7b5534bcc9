#pragma once

#include <weft/async/task.hpp>
#include <weft/model/chat_model.hpp>

#include <functional>
#include <memory>
#include <string>

namespace weft {

/** Decides at a pause whether the speech so far is a complete thought. What it throws leaves the decision to the rule
 *  (`complete_thought_in`). */
using speech_judge = std::function<task<bool>(std::string text)>;

/** A judge that asks a model, which answers yes or no by a JSON schema. An answer that is neither leaves the decision
 *  to the rule.
 *
 *  @param model        A fast one: the answer counts only until speech goes on, or the silence is long.
 *  @param model_name   Another model than the one that `model` was made for; empty: that one.
 *  @par Errors         `errc::invalid_configuration` without a model. */
[[nodiscard]] speech_judge speech_judge_of(std::shared_ptr<chat_model> model, std::string model_name = {});

}  // namespace weft
