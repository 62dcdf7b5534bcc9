#pragma once

#include <weft/base/text/json_path.hpp>
#include <weft/base/text/text_lines.hpp>
#include <weft/graph/document/graph_file_format.hpp>

#include <memory>
#include <string_view>

namespace weft {

class document_outline;

/** Where the values of a graph file are in its text, for messages that point at them.
 *
 *  @par Lifetimes   The text outlives it.
 */
class spec_places {
public:
    /** @param text     Without mistakes of syntax: a graph was read from it.
     *  @param format   `json` or `yaml`. */
    explicit spec_places(std::string_view text, graph_file_format format = graph_file_format::json);
    ~spec_places();
    spec_places(const spec_places&) = delete;
    spec_places& operator=(const spec_places&) = delete;

    /** Of the value at a path; if it is not there, of the nearest value around it. */
    [[nodiscard]] text_position of(const json_path& at) const;

private:
    text_lines lines_;
    std::unique_ptr<const document_outline> outline_;
};

}  // namespace weft
