#pragma once

#include <weft/engine/run_result.hpp>

namespace weft {

struct run_core;

/** A run that has ended, which becomes its result where that is wanted: the result is large, and is made there instead
 *  of being moved.
 *
 *      const run_result result = ended;
 *
 *  @par Lifetimes       Refers to the run.
 */
class ended_run {
public:
    explicit ended_run(run_core& of) noexcept : run_{of} {}

    operator run_result() const { return take(); }
    /** What became of the run; state and trail go over to the result. Once. */
    [[nodiscard]] run_result take() const;
    /** Why it failed; null if it did not. */
    [[nodiscard]] const failure_ptr& why() const noexcept;

private:
    run_core& run_;
};

}  // namespace weft
