#pragma once

#include "house.hpp"
#include "rules.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace weft_tidy {

/** What a floor still owes to a rule: the places, or for shares of comments the percents that are missing. */
struct debt {
    std::size_t count = 0;
    mistakes places;
};

/** Debts by `floor rule`. The rules:
 *  - `functions`: a class has at most 40 member functions;
 *  - `homes`: a member function is defined in the file that declares it, in a source of that header's name, or in a
 *    header beside it, which is for inline functions;
 *  - `types`: a name of a public type is used once;
 *  - `names`: names have none of the words that docs/GLOSSARY.md refuses;
 *  - `persons`: comments name the thing that acts, and no unknown person;
 *  - `header_comments`: of the lines of public headers 30 % have a comment;
 *  - `source_comments`: of those of the sources in lib/ 5 %. */
[[nodiscard]] std::map<std::string, debt> debts_of(const std::vector<source_text>& project);

/** A line for each debt, and the places behind it. */
[[nodiscard]] mistakes told(const std::map<std::string, debt>& debts);

}  // namespace weft_tidy
