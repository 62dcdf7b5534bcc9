#pragma once

#include "bench.hpp"

#include <iosfwd>

namespace weft_bench {

void print_names(std::ostream& out, const benchmarks& all);

// A table: the head, then one line as soon as a figure is there.
void print_table_head(std::ostream& out);
void print_table_line(std::ostream& out, const benchmark& of, const measurement& found);

/** One JSON object on a line: name, unit, weft, floor, ratio, spread. */
void print_json_line(std::ostream& out, const benchmark& of, const measurement& found);

}  // namespace weft_bench
