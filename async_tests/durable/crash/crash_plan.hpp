#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft_crash {

/** A thread of a worker process, and the write of its own at which the process is killed. */
struct slot {
    enum class moment : std::uint8_t {
        before,  ///< The write was about to be sent.
        after,   ///< It was done, and its answer is not known yet.
    };

    std::string thread;
    std::uint64_t write = 0;  ///< Counted from 1; 0: not at all.
    moment when = moment::before;

    [[nodiscard]] std::string text() const;
    /** @par Errors  `std::runtime_error`. */
    [[nodiscard]] static slot parse(std::string_view text);
};

/** Which store the processes share. */
struct store_place {
    std::string kind;    ///< `sqlite` or `postgres`.
    std::string where;   ///< A file, or what libpq takes.
    std::string schema;  ///< Of PostgreSQL.
};

/** What a worker process is told. */
struct worker_orders {
    store_place store;
    std::string ledger;               ///< The file outside of the store.
    std::string graph;                ///< See `crash_plan`.
    /** The store acknowledges the checkpoint before the boundary without keeping it: the checks must notice. */
    bool is_careless = false;
    slot any;                         ///< Where it is killed whatever the thread; without a thread.
    std::vector<slot> slots;

    [[nodiscard]] std::vector<std::string> words() const;
    [[nodiscard]] static worker_orders parse(const std::vector<std::string>& words);
};

/** Brings all of its threads to their ends, from wherever they stand, or is killed at its boundaries.
 *  @return  The exit status. */
int work(const worker_orders& orders);

/** How the boundaries are gone through. */
struct crash_plan {
    std::string kind;                ///< `sqlite` or `postgres`.
    /** What runs: `steps` (`crash_graphs`), `agents` (`hire_agents`) or `research` (`hire_researchers`). */
    std::string graph = "steps";
    std::uint64_t every = 1;         ///< Of so many boundaries one is tried.
    std::size_t together = 8;        ///< Threads of one process, each at a boundary of its own when it is killed.
    std::size_t lanes = 2;           ///< Processes at a time.
    bool is_careless = false;        ///< See `worker_orders`.
};

struct crash_report {
    std::size_t boundaries = 0;      ///< Tried: before and after each write.
    std::size_t reached = 0;         ///< At which the process was killed; the run of the others was over before.
    std::size_t kills = 0;           ///< Processes, those that recovered included.
    std::size_t effects = 0;         ///< Different ones.
    std::size_t calls = 0;           ///< Of effects, those that were made again included.
    std::uint64_t writes = 0;        ///< Of the undisturbed run.
    std::size_t visits = 0;          ///< Nodes of that run.
    std::size_t losses = 0;          ///< Leases that processes lost although they lived: the machine was too slow.
    std::vector<std::string> wrong;
};

/** Kills a process at every boundary, lets others recover, and compares with the undisturbed run. */
crash_report crash_everywhere(const crash_plan& plan);

}  // namespace weft_crash
