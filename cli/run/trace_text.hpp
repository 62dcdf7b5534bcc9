#pragma once

#include "terminal/console.hpp"

#include <weft/engine/trace/run_trace.hpp>

#include <cstddef>
#include <string>

namespace weft_cli {

/** How wide a trace is where no terminal says it. */
inline constexpr std::size_t piped_columns = 100;

/** A trace for people: what came of the run; its visits with bars of their time; failures; edges; the critical path.
 *
 *  @param screen    Says whether there are colours.
 *  @param columns   How wide bars may make the lines. */
[[nodiscard]] std::string trace_text(const weft::run_trace& trace, const console::screen& screen, std::size_t columns);

/** A bar of `columns` columns that is filled between two parts of the whole, from 0 to 1; never empty. */
[[nodiscard]] std::string time_bar(double from, double to, std::size_t columns);

/** A span with a unit that suits it: `340 us`, `12.5 ms`, `3.20 s`, `4 min 05 s`. */
[[nodiscard]] std::string span_text(weft::run_trace::span time);

}  // namespace weft_cli
