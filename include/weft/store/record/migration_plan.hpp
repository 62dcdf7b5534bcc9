#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** How a statement that changes the tables of a store is carried out. */
enum class migration_way : unsigned char {
    at_once,       ///< In a short transaction of its own.
    concurrently,  ///< Beside readers and writers: an index, for as long as the server takes to read the table.
    in_batches,    ///< In transactions of some thousand rows each.
};

/** What waits while a statement runs that changes the tables of a store. */
enum class migration_lock : unsigned char {
    nothing,     ///< Its rows at most.
    writers,     ///< What changes the table.
    everything,  ///< Whatever uses the table.
};

/** A statement that a migration would run. */
struct planned_statement {
    int version = 0;  ///< Of the tables; the program that came with it brought the statement.
    std::string text;
    migration_way way = migration_way::at_once;
    migration_lock lock = migration_lock::nothing;
    std::string table;      ///< The table that was there before and that is locked or read; empty: none.
    std::int64_t rows = 0;  ///< About how many that has; 0 if it is not known.
};

/** What brings the tables of a store to the version that this program knows. */
struct migration_plan {
    std::optional<int> found;  ///< The version that is there; nothing: no tables.
    int known = 0;             ///< The newest version that this program knows.
    int min_reader = 0;        ///< Programs that know less than this must not use what is there.
    bool is_under_way = false; ///< A process migrates now, or one was cut short; what it did is not in the plan.
    std::vector<planned_statement> statements;  ///< In their order; empty if there is nothing to do.

    /** Whether this program can use the tables as they are. */
    [[nodiscard]] bool is_usable() const noexcept { return found && *found >= known && min_reader <= known; }
    /** Whether the tables are of a newer weft that this program cannot share them with. */
    [[nodiscard]] bool needs_newer_program() const noexcept { return min_reader > known; }
};

}  // namespace weft
