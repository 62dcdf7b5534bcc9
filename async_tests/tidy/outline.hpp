#pragma once

#include "source_text.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace weft_tidy {

/** A class, struct, union or enumeration with its body. */
struct type_outline {
    std::string name;           ///< With the classes around it, as `engine::impl`; without namespaces.
    std::string space;          ///< The namespaces around it, as `weft::net_detail`.
    std::size_t line = 0;       ///< From 0.
    std::size_t functions = 0;  ///< Member functions, overloads counted each; without `= default` and `= delete`.
};

/** A member function that is defined outside its class. */
struct definition_outline {
    std::string owner;     ///< What stands before the last `::` of its name.
    std::string name;      ///< What stands behind.
    std::size_t line = 0;  ///< From 0.
};

/** What a C++ file declares, found by eye rather than by grammar. */
struct outline {
    std::vector<type_outline> types;
    std::vector<definition_outline> definitions;
};

[[nodiscard]] outline outline_of(const source_text& source);

}  // namespace weft_tidy
