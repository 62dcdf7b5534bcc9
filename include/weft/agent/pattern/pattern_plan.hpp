#pragma once

#include <weft/agent/pattern/pattern_participant.hpp>
#include <weft/base/chrono.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace weft::patterns {

/** A step of a plan that was tried. */
struct done_step {
    std::string step{};
    std::string result{};    ///< What the executor answered, or why it failed.
    bool has_failed = false;

    friend bool operator==(const done_step&, const done_step&) = default;
};
BOOST_DESCRIBE_STRUCT(done_step, (), (step, result, has_failed))

/** Where a plan stands. */
struct plan_state {
    std::int64_t plans = 0;             ///< Made so far.
    std::vector<std::string> open{};    ///< The steps of the newest one that are still to come.

    friend bool operator==(const plan_state&, const plan_state&) = default;
};
BOOST_DESCRIBE_STRUCT(plan_state, (), (plans, open))

}  // namespace weft::patterns

namespace weft {

extern template struct compiled_value<patterns::plan_state>;
extern template struct compiled_value<patterns::done_step>;
extern template struct compiled_value<list<patterns::done_step>>;
extern template struct compiled_key<patterns::plan_state>;
extern template struct compiled_key<list<patterns::done_step>, append>;

}  // namespace weft

namespace weft::patterns {

inline constexpr state_key<plan_state> plan_stands{"plan"};
inline constexpr state_key<list<done_step>, append> steps_done{"steps"};

/** What bounds a plan. */
struct plan_options {
    std::int64_t plans_max = 5;      ///< The first and those made anew; at least 1.
    std::int64_t steps_max = 30;     ///< Of all plans together; at least 1.
    std::int64_t plan_steps_max = 10;        ///< More steps of one plan are left out; the planner may name them later.
    std::chrono::nanoseconds timeout{0};     ///< For each step; 0: none.
};

/** What a planner is asked: the task, what was done so far, and how to answer. */
[[nodiscard]] std::string task_of_planner(const std::string& task, const std::vector<done_step>& done);
/** What an executor is asked: one step, with the task and what was done so far. */
[[nodiscard]] std::string task_of_executor(const std::string& task, const std::string& step,
                                           const std::vector<done_step>& done);

/** A planner names steps, an executor does one after the other, and with their results the planner answers or plans
 *  anew; also when a step fails, which leaves the rest of its plan out. A guardrail that trips and an empty budget end
 *  the run.
 *
 *      weft::graph g = weft::patterns::plan_and_execute("trip", planner, executor);
 *
 *  The planner answers with a JSON object: `{"steps": ["…"]}` or `{"answer": "…"}`.
 *
 *  @par Errors   `errc::invalid_configuration`; see `participant`. In a run: `errc::invalid_model_reply` if the planner
 *                answers neither, after two attempts; `errc::limit_reached` if plans or steps are used up.
 *  @par Source   Wang et al.: Plan-and-Solve Prompting, 2023. */
[[nodiscard]] graph plan_and_execute(std::string name, participant planner, participant executor,
                                     plan_options options = {});

}  // namespace weft::patterns
