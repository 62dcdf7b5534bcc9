#pragma once

#include "source_text.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace weft_tidy {

/** A function as found by its braces. */
struct function_length {
    std::string name;   ///< With the file and the line of its first word.
    std::size_t lines;  ///< From its first word to its closing brace.
};

/** The functions of a C++ file that have a body, found by eye rather than by grammar: good for a list to look at. */
[[nodiscard]] std::vector<function_length> measure_functions(const source_text& source);

}  // namespace weft_tidy
