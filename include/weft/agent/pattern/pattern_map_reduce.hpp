#pragma once

#include <weft/agent/pattern/pattern_participant.hpp>
#include <weft/base/chrono.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weft::patterns {

/** Divides a task into items. */
using splitter = std::function<std::vector<std::string>(std::string_view task)>;

/** The lines of a text that are not blank. */
[[nodiscard]] std::vector<std::string> lines_of(std::string_view text);

/** Makes one answer of those to the items, which are in the order of the items. */
using joiner = std::function<std::string(std::string_view task, const std::vector<contribution>& results)>;

/** The answers with a blank line between two. */
[[nodiscard]] std::string one_after_the_other(std::string_view task, const std::vector<contribution>& results);

/** How a task is divided and its parts are put together. */
struct map_reduce_options {
    /** A function, or a participant whose answer is a JSON array of texts, or else an item on each line. */
    std::variant<splitter, participant> split = splitter{&lines_of};
    /** A function, or a participant that gets the task and the answers to the items. */
    std::variant<joiner, participant> reduce = joiner{&one_after_the_other};
    std::size_t items_max = 1'000;         ///< More fail the run.
    std::uint32_t concurrency_max = 0;     ///< Items at the same time; 0: as many as the run allows.
    std::chrono::nanoseconds timeout{0};   ///< For each item; 0: none.
    bool needs_all = true;                 ///< Else the items whose participant failed are left out.
};

/** Divides the task into items, gives each of them to a run of `mapper` as its task, and makes one answer of theirs.
 *
 *      weft::patterns::map_reduce("summaries", summariser, {.reduce = editor, .concurrency_max = 8})
 *
 *  @par Errors   `errc::invalid_configuration`; see `participant`. In a run: `errc::limit_reached` for too many items;
 *                the failure of an item. */
[[nodiscard]] graph map_reduce(std::string name, participant mapper, map_reduce_options options = {});

}  // namespace weft::patterns
