#pragma once

#include "graph_file.hpp"
#include "terminal/console.hpp"

#include <weft/graph/analysis.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace weft_cli {

/** Something about a graph file that a person should see. */
struct problem {
    weft::located_finding found;
    std::string path;  ///< Where in the JSON, e.g. `$.edges[0].to`; may be empty.
};

/** The rule of mistakes in a file, and of what its reading gave as a warning. */
inline constexpr std::string_view mistake_rule = "invalid_graph";
inline constexpr std::string_view warning_rule = "may_surprise";

/** What is wrong with a readable file: mistakes of reading it, or what the analysis of its graph finds. Findings stand
 *  at the first node of the file that they name. */
[[nodiscard]] std::vector<problem> problems_of(const graph_file& file);

/** The line of a text with a mark under the column, both ending with a line feed; of a long line the part around it.
 *  Nothing if there is no such line. */
[[nodiscard]] std::string excerpt(std::string_view text, weft::text_position at, const console::screen& screen);

/** Writes problems as people read them: place, severity, what and where; the line; the way; the remedy. */
class problem_writer {
public:
    /** @param screen   Says whether there are colours. */
    explicit problem_writer(console::screen screen) : screen_{screen} {}

    /** @param file   Where the problem was found; other files are read again for their lines. */
    [[nodiscard]] std::string text_of(const problem& what, const graph_file& file) const;

private:
    console::screen screen_;
};

/** Tells on standard error what keeps a command from having the file's graph: that it cannot be read, or its mistakes.
 *  @return   What the program ends with; `all_good` if there is a graph. */
[[nodiscard]] int tell_mistakes(std::string_view command, const graph_file& file);

}  // namespace weft_cli
