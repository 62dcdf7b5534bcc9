#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace weft_crash {

/** What a ledger tells of a thread. */
struct thread_story {
    std::uint64_t writes = 0;                             ///< Of the process that ended it.
    std::string steps;
    std::string state;
    std::map<std::string, std::set<std::string>> keys;    ///< By address of the effect.
    std::size_t calls = 0;                                ///< Of effects.
    std::set<std::string> paid;                           ///< Keys of effects whose outcomes are kept.
    std::map<std::string, std::size_t> begun;             ///< By visit.
    std::size_t losses = 0;                               ///< Of its lease, in a process that lived.
    bool was_reached = false;                             ///< Its process was killed at its boundary.
    std::vector<std::string> wrong;                       ///< What began or was paid although it was kept; troubles.
};

[[nodiscard]] std::map<std::string, thread_story> read_stories(const std::string& ledger);

/** What is wrong with the undisturbed run: the outcome of each effect of its own has to be kept. */
[[nodiscard]] std::vector<std::string> judge_undisturbed(const thread_story& story);

/** What differs from the undisturbed run.
 *  @param kills  How often its process was killed. */
[[nodiscard]] std::vector<std::string> judge(const thread_story& found, const thread_story& undisturbed,
                                             std::size_t kills);

}  // namespace weft_crash
