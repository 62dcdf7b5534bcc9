#pragma once

#include <weft/agent/turn_agent/turn_state.hpp>
#include <weft/async/retry_policy.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/errc.hpp>

#include <boost/describe/enum.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>

namespace weft {

/** What is to be done when a model could not be asked. */
enum class model_error_action : std::uint8_t {
    retry,     ///< Ask again, perhaps another model.
    carry_on,  ///< As if it had said nothing: the agent is nudged and goes on.
    fail,      ///< The agent has failed.
};
BOOST_DESCRIBE_ENUM(model_error_action, retry, carry_on, fail)

/** A call of a model that failed. */
struct model_trouble {
    model_trouble() {}
    /** @param cause   What the call threw. */
    explicit model_trouble(const std::exception_ptr& cause);

    errc code = errc::invalid_model_reply;
    std::string text;               ///< For people.
    bool may_pass = false;          ///< The same call may succeed at another time.
    bool is_of_endpoint = false;    ///< Another model may do better.
    std::optional<std::chrono::milliseconds> retry_after;  ///< What the provider asks to wait.
    std::uint32_t failures = 0;     ///< Of this turn, with this one.
    std::size_t tier = 0;           ///< Which of the agent's models it was.
};

/** What an agent does about models that fail. */
struct cascade_rules {
    std::uint32_t retries_max = 3;       ///< In a turn.
    std::uint32_t falls_back_after = 2;  ///< So many failures of one model in a turn lead to the next one.
    /** How long to wait before a further attempt; its count of attempts does not matter. */
    retry_policy pause = {.initial = std::chrono::milliseconds{100}, .jitter = jitter::full};
    std::chrono::nanoseconds wait_max = std::chrono::seconds{60};  ///< Of what a provider asks to wait.
    /** Decides; empty: what may pass is tried again, what lies in the endpoint goes to the next model, the rest fails.
     *  What it throws fails the agent. */
    std::function<model_error_action(const model_trouble&, const turn_record&)> on_error = {};
};

/** Decides within one turn which model is asked and how often. A plain value.
 *
 *  @par Source   Ivy's turn graph: at most three retries, then the turn has failed; from the capable model to the
 *                balanced one. */
struct error_cascade {
    struct step {
        model_error_action action = model_error_action::fail;
        std::string why{};                 ///< Of a failure.
        std::chrono::nanoseconds pause{0};  ///< Before the next attempt.
    };

    std::size_t tier = 0;          ///< Which model is to be asked.
    std::uint32_t failures = 0;
    std::uint32_t of_tier = 0;     ///< Failures of this model.

    /** @param models    How many there are.
     *  @param uniform   A random number in [0, 1). */
    [[nodiscard]] step failed(model_trouble what, const turn_record& agent, const cascade_rules& rules,
                              std::size_t models, double uniform);
};

}  // namespace weft
