#pragma once

#include <weft/agent/guard/guardrail.hpp>
#include <weft/model/chat_model.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace weft {

/** Trips on texts of more than so many code points. It comes first. */
[[nodiscard]] guardrail length_guardrail(std::string name, std::size_t chars_max);

/** Trips on texts with one of these, in any case, as whole words. Pieces of a reply are looked at with what came before
 *  them. It comes first. */
[[nodiscard]] guardrail words_guardrail(std::string name, std::vector<std::string> words);

/** Trips on texts that try to give a model other orders; see `injection_signs_in`, whose signs are hints: a person may
 *  well talk about such texts. It comes first. */
[[nodiscard]] guardrail injection_guardrail(std::string name);

/** How a model checks. */
struct model_guardrail_options {
    std::string model = {};               ///< Another than the one that the `chat_model` was made for.
    std::size_t chars_max = 20'000;       ///< Of a text that it reads; longer ones cannot be checked: the check fails.
};

/** Asks a model whether a text is what `rule` describes, and trips if it is. Its verdicts are kept (`guardrail::once`).
 *
 *      weft::model_guardrail("advice", model, "The text gives medical advice.")
 *
 *  The model answers with a JSON object that says `trips` and `reason`; what is none of that is a failed check. The
 *  text goes to it as data behind the rule, as `neutral_text`; who wrote the text may still try to talk it round, so
 *  that it is one line of defence and not the last. In a run its calls are paid from the run's budget.
 *
 *  @par Errors   Of a check: those of the model; `errc::invalid_model_reply`; `errc::response_too_large` if the text is
 *                longer than `chars_max`. */
[[nodiscard]] guardrail model_guardrail(std::string name, std::shared_ptr<chat_model> model, std::string rule,
                                        model_guardrail_options options = {});

}  // namespace weft
