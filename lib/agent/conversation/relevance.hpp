#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace weft {

/** The words of what was said last, to tell how much older messages have to do with it. Words have more than three
 *  letters; capitals do not matter.
 *
 *  @par Thread safety   As a value. */
class recent_words {
public:
    /** Adds what was said. */
    void add(std::string_view text);

    /** How little a text has to do with it: 1 nothing, 0 at least half of its words are among the recent ones. A text
     *  of less than ten characters, or without words, tells little: 0.8.
     *  @par Source   Sulla's ConversationSummaryService. */
    [[nodiscard]] double irrelevance_of(std::string_view text) const;

private:
    std::set<std::string, std::less<>> words_;
};

/** How well a message can be done without: from 0 to 1.
 *
 *  @param age           Where it stands: 1 the oldest, 0 the newest.
 *  @param irrelevance   As `recent_words` says.
 *  @par Source          Sulla's ConversationSummaryService: 0.6 of the age, 0.4 of the irrelevance. */
[[nodiscard]] double dispensability(double age, double irrelevance) noexcept;

}  // namespace weft
