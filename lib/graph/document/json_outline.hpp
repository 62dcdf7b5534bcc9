#pragma once

#include "document_outline.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Where the values of a JSON text are, and which names stand twice. Made only when there is something to report. */
struct json_outline {
    /** A member whose object has one of this name already. */
    struct repeated_member {
        std::size_t offset;
        std::string path;
        std::string name;
    };

    document_outline where = {};
    std::vector<repeated_member> repeated = {};
};

/** @param text   Has been parsed: it is JSON, not nested too deep. */
[[nodiscard]] json_outline outline_of_json(std::string_view text);

/** How many members the objects of a JSON text have in all, repeated ones included. The text has been parsed. */
[[nodiscard]] std::size_t count_members(std::string_view text) noexcept;

}  // namespace weft
