#pragma once

#include <weft/engine/run_result.hpp>
#include <weft/engine/scheduler/open_question.hpp>
#include <weft/store/record/run_record.hpp>

#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** What a run that has ended, or waits, is in a store. */
[[nodiscard]] run_phase phase_of(run_status status) noexcept;

/** What a run in such a phase of the store is to its caller. */
[[nodiscard]] run_status status_of(run_phase phase) noexcept;

/** A result of a run that could not begin, or of which no more than this is known. */
[[nodiscard]] run_result failed_result(errc code, std::string message, std::exception_ptr cause = nullptr);

/** When the first of the questions ends that end by themselves; none: no moment ends them. */
[[nodiscard]] std::optional<wall_time> first_end_of_wait(const std::vector<open_question>& questions);

/** A result of a run that is over or waits, as far as its record says. */
[[nodiscard]] run_result result_of(const run_record& record);

}  // namespace weft
