#pragma once

#include <weft/model/chat_model.hpp>
#include <weft/model/model_error.hpp>

#include <functional>
#include <memory>

namespace weft {

/** Called when the first model has failed for good and the second is asked. The failure has no secrets. */
using recovery_observer = std::function<void(const chat_model& from, const chat_model& to, const model_failure& why)>;

/** A model that gets over failures: what may pass is tried once more, and after that, or after another failure that
 *  lies in the endpoint, its credentials or its account, a second model is asked.
 *
 *  @param primary     Not null.
 *  @param secondary   Null, or of the same label as `primary`: the failure stands.
 *  @param on_recovery Called on the loop of the call; may be empty.
 *
 *  @par Source   Sulla's provider recovery, out of `retrying_model` and `fallback_model`. */
[[nodiscard]] std::shared_ptr<chat_model> with_recovery(std::shared_ptr<chat_model> primary,
                                                        std::shared_ptr<chat_model> secondary,
                                                        recovery_observer on_recovery = {});

}  // namespace weft
