#pragma once

#include <string>
#include <string_view>

namespace weft {

/** The texts of a range in one, with a separator between them.
 *
 *      joined_text(std::vector<std::string>{"a", "b"})   // "a, b"
 *
 *  @param texts   What `std::string::append` takes: strings or views of them. Empty ones at the front leave no
 *                 separator. */
template <class Range>
[[nodiscard]] std::string joined_text(const Range& texts, std::string_view separator = ", ")
{
    std::string all;
    for (const auto& text : texts) all.append(all.empty() ? std::string_view{} : separator).append(text);
    return all;
}

}  // namespace weft
