#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::graph_detail {

/** One condition, taken apart as far as is needed to see whether several leave nothing out: `verdict == 'again'`. */
struct condition_term {
    std::string left;
    std::string comparison;  ///< One of == != < <= > >=; empty for a condition that is none of a single comparison.
    std::string right;
    bool is_negated = false; ///< `not …`, of a condition that is no comparison.
};

/** @param text   An expression without mistakes. */
[[nodiscard]] condition_term term_of(std::string_view text);

/** What a literal text says, `again` for `'again'`; nothing for anything else. */
[[nodiscard]] std::string_view literal_text(std::string_view term) noexcept;

/** Whether one of the conditions holds whatever the values are: one is True, or two are each other's contrary. */
[[nodiscard]] bool leave_nothing_out(const std::vector<condition_term>& terms);

/** Whether a key that has one of `values` lets one of the conditions hold. */
[[nodiscard]] bool cover(const std::vector<condition_term>& terms, std::string_view key,
                         const std::vector<std::string>& values);

}  // namespace weft::graph_detail
