#pragma once

#include <weft/graph/graph_spec.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <filesystem>
#include <istream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft_cli {

/** The command line asks for what cannot be. Its text says what to write instead. */
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/** A word `NAME=REST` in two. @par Errors  `usage_error`, naming the option, if there is no `=` or no name. */
[[nodiscard]] std::pair<std::string, std::string> split_at_equals(std::string_view option, const std::string& word);

/** A span that an option gives.
 *  @param examples   What to write instead, in the message.
 *  @par Errors       `usage_error`, naming the option. */
[[nodiscard]] std::chrono::nanoseconds span_of(std::string_view option, const std::string& text,
                                               std::string_view examples);

/** Reads the values that were given with --input, or another option, one after another; what comes later replaces what
 *  came before.
 *
 *  - `KEY=VALUE`: of a key of the type string the value as it stands, of any other as JSON;
 *  - `@FILE`: a JSON object of values by key; `@-` is `standard_input`.
 *
 *  @par Errors   `usage_error`: an unknown key, a value that does not fit its key, a file that cannot be read. */
[[nodiscard]] boost::json::object read_inputs(const std::vector<std::string>& words, const weft::graph_spec& spec,
                                              std::istream& standard_input,
                                              std::string_view option = "--input");

}  // namespace weft_cli
