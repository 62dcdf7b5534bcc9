#pragma once

#include <weft/graph/state/name_index.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::graph_detail {

/** A name of a `name_table`. */
using name_number = std::uint32_t;

/** The names in a description of a graph, each kept once: nodes and edges have their numbers, which are compared and
 *  looked up as indices. */
class name_table {
public:
    static constexpr name_number none = name_index::none;
    static constexpr name_number start = 0;  ///< `weft::start`, which each table has,
    static constexpr name_number end = 1;    ///< and `weft::end`.

    name_table();

    /** The number of a name, which is added if it is new. */
    name_number add(std::string_view name);
    /** The number of a name, or `none`. */
    [[nodiscard]] name_number find(std::string_view name) const;
    [[nodiscard]] const std::string& operator[](name_number name) const noexcept { return names_[name]; }
    [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }

private:
    std::vector<std::string> names_;
    name_index index_;
};

}  // namespace weft::graph_detail
