#pragma once

#include "problem.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace weft_cli {

/** One file that was checked. */
struct checked_file {
    graph_file file;
    std::vector<problem> problems = {};
};

/** What checking some files came to. */
struct check_report {
    std::vector<checked_file> files = {};

    [[nodiscard]] std::size_t count(weft::severity level) const;
    /** How many files could not be read. */
    [[nodiscard]] std::size_t unreadable_count() const;
    /** @param is_strict   Whether warnings fail. @return What the program ends with. */
    [[nodiscard]] int exit_code(bool is_strict) const;
};

[[nodiscard]] check_report check_files(const std::vector<std::string>& paths, const graph_file_reader& reader);

/** One line for people, e.g. `3 files: 1 error, no warnings, 2 notes`, and which functions were taken for granted. */
[[nodiscard]] std::string summary_of(const check_report& report);

/** For programs: `{"files": [{"file", "graph", "functions", "problems": [{"rule", "severity", "message", "remedy",
 *  "file", "line", "column", "path", "witness"}]}], "errors", "warnings", "notes"}`; members without a value are left
 *  out, and a file that cannot be read has `trouble`. */
[[nodiscard]] boost::json::object to_json(const check_report& report);

/** For programs that show problems beside code: SARIF 2.1.0. A file that cannot be read is an error there. */
[[nodiscard]] boost::json::object to_sarif(const check_report& report);

}  // namespace weft_cli
