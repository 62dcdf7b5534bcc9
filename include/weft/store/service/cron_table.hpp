#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/store/role/document_store.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** What becomes of moments of a cron at which no process was there to begin a run: those that are more than a minute
 *  past when one comes. */
enum class cron_missed : std::uint8_t {
    one,   ///< One run for all of them.
    skip,  ///< No run.
    all,   ///< A run for each.
};

/** Runs that begin again and again. */
struct cron {
    std::string tenant;
    std::string id;
    std::string graph;
    std::string assistant;        ///< An id, as the server gives them; to find the cron by.
    std::string thread;           ///< Empty: each run has a thread of its own.
    std::string schedule;         ///< As the server reads it, such as "30 9 * * mon-fri" of a `cron_schedule`.
    std::string time_zone;        ///< A name such as "Europe/Berlin"; empty: UTC.
    std::string input = "{}";     ///< A JSON object for each run.
    std::string metadata = "{}";  ///< A JSON object to find the cron by.
    bool is_enabled = true;       ///< False: it is kept, and nothing begins.
    cron_missed missed = cron_missed::one;
    std::optional<wall_time> next = {};  ///< When the next run begins; none: no further one.
    std::optional<wall_time> end = {};   ///< No run begins then or later.
    std::uint64_t revision = 0;   ///< Which state of the cron this is: set by the table.
    wall_time created;            ///< Set by the table.
    wall_time changed;            ///< Set by the table.
    std::optional<wall_time> taken = {};  ///< Set by `take`: when that was, by the clock of the store.
};

/** Which crons to list. */
struct cron_query {
    std::optional<std::string> tenant = {};  ///< None: of all tenants.
    std::optional<std::string> graph = {};   ///< None: of all graphs.
    std::optional<std::string> assistant = {};  ///< None: of all assistants.
    std::optional<std::string> thread = {};  ///< None: of all threads.
    std::optional<bool> is_enabled = {};     ///< None: both.
    std::string metadata_contains = "{}";    ///< A JSON object, as `document_query::contains`.
    std::string after = {};       ///< `cron_page::next` of the page before; empty: the first page.
    std::size_t count_max = 100;  ///< At most so many.
};

/** A part of a list of crons, the newest first. */
struct cron_page {
    std::vector<cron> crons;
    std::string next;  ///< For `cron_query::after`; empty: nothing follows.
};

/** Keeps crons in a `document_store`, and gives each that is due to one process.
 *
 *      for (cron& each : co_await crons.take(1min, 16)) {
 *          …  // enqueues a run, with each.id and each.next as its idempotency key
 *          co_await crons.ran(each, next_moment);
 *      }
 *
 *  The table knows moments and no calendar: the server reads schedules and time zones, and says when the next run
 *  begins. A process that dies between `take` and `ran` leaves the cron to another one, with the same `next`; so the
 *  idempotency key makes one run of both attempts.
 *
 *  @par Errors          As `document_store`.
 *  @par Thread safety   As `document_store`.
 *  @par Lifetimes       The store outlives it.
 */
class cron_table {
public:
    explicit cron_table(document_store& documents) noexcept : documents_{documents} {}

    /** Enters a cron. @return False if there is one of this id; then nothing is changed. */
    [[nodiscard]] task<bool> create(cron made);
    /** A cron; nothing if it is not there. */
    [[nodiscard]] task<std::optional<cron>> find(std::string tenant, std::string id);
    /** Replaces a cron. @return False if it is not there or its revision is another one; then nothing is changed. */
    [[nodiscard]] task<bool> update(cron changed);
    /** Takes crons whose next run is due, for `lease`. */
    [[nodiscard]] task<std::vector<cron>> take(std::chrono::milliseconds lease, std::size_t count_max);
    /** The run of `taken.next` was entered. @param next  When the one after it begins; none: no further one.
     *  @return False if another process has taken the cron since, or it was changed; then nothing is changed. */
    [[nodiscard]] task<bool> ran(cron taken, std::optional<wall_time> next);
    /** Its next run is due now, by the clock of the store; those behind it keep their moments.
     *  @return False if it is not there, is not enabled, or was changed meanwhile; then nothing is changed. */
    [[nodiscard]] task<bool> run_now(std::string tenant, std::string id);
    /** Removes a cron. @return False if there was none. */
    [[nodiscard]] task<bool> erase(std::string tenant, std::string id);
    /** Crons, page by page. */
    [[nodiscard]] task<cron_page> search(cron_query query);
    /** How many crons a query finds on all its pages. */
    [[nodiscard]] task<std::size_t> count(cron_query query);

private:
    document_store& documents_;
};

}  // namespace weft
