#pragma once

#include "source_text.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace weft_tidy {

/** What is wrong, one line each, as `path:line: what and what to do`. */
using mistakes = std::vector<std::string>;

/** Adds `path:line: what`. @param line   From 0. */
void refuse(mistakes& found, const source_text& source, std::size_t line, const std::string& what);

/** Public headers keep Beast, TLS and databases out, and every header is included once. */
void check_headers(const source_text& source, mistakes& found);

/** Calls for which the project has something better, named in the message. */
void check_calls(const source_text& source, mistakes& found);

/** Messages hold for users of the program and of graph files as for those of C++: they name a member or an option by
 *  its name alone, without the type that it belongs to in C++. */
void check_messages(const source_text& source, mistakes& found);

/** Lines: no trailing blanks, no tabs, 120 columns, no work left for later, no conflicts. */
void check_lines(const source_text& source, mistakes& found);

/** Pages and samples name the thing that acts, and no unknown person. A word in quotes is meant as a word. */
void check_words(const source_text& source, mistakes& found);

/** A markdown file has one title. */
void check_titles(const source_text& source, mistakes& found);

/** Sources and pages that a markdown file links, and headers that it names, are there; a header in a table has the name
 *  that stands before it. */
void check_mentions(const source_text& source, const std::vector<source_text>& project, mistakes& found);

/** Code in a markdown file after `<!-- sample: samples/x.cpp [marker] -->` is what stands between `// [marker]` and
 *  `// [/marker]` in that sample. */
void check_samples(const source_text& source, const std::vector<source_text>& project, mistakes& found);

}  // namespace weft_tidy
