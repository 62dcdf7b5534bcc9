#include "sqlite_housekeeping.hpp"

#include "sqlite_checkpoints.hpp"
#include "sqlite_threads.hpp"
#include "sqlite_time.hpp"

#include <algorithm>

namespace weft::sqlite_detail {

namespace {

// The head stays, and so does what is labelled, what another thread began with, and what an open question belongs to.
void delete_old_checkpoints(connection& db, const thread_row& thread, const retention& what, prune_report& report)
{
    const std::int64_t oldest = what.older_than ? stored(*what.older_than) : INT64_MIN;
    query gone{db,
               "DELETE FROM checkpoint WHERE thread = ?1 AND sequence <> ?2 AND label = '' AND is_forked = 0 "
               "AND sequence NOT IN (SELECT head FROM question WHERE thread = ?1 AND phase = 0) "
               "AND NOT (at >= ?3 AND sequence IN "
               "(SELECT sequence FROM checkpoint WHERE thread = ?1 ORDER BY sequence DESC LIMIT ?4)) "
               "RETURNING length(body)",
               thread.no, thread.head, oldest, std::min<std::size_t>(what.keep_last, INT64_MAX)};
    while (gone.next()) {
        ++report.checkpoints;
        report.bytes += gone.as<std::uint64_t>(0);
    }
}

std::vector<content_hash> links_of_checkpoints(connection& db, std::int64_t thread)
{
    query asked{db, "SELECT links FROM checkpoint WHERE thread = ?", thread};
    hash_set links;
    while (asked.next())
        for (const content_hash& hash : split(db, asked.view(0))) links.insert(hash);
    return {links.begin(), links.end()};
}

void delete_lost_blobs(connection& db, std::int64_t thread, prune_report& report)
{
    // A blob that the links of another one name is kept with it.
    const hash_set kept = reachable(db, thread, links_of_checkpoints(db, thread));
    // First all are read, then they are deleted: a statement must not change what another one walks through.
    std::vector<content_hash> lost;
    {
        query asked{db, "SELECT hash FROM blob WHERE thread = ?", thread};
        while (asked.next()) {
            const content_hash hash = asked.hash(0);
            if (!kept.contains(hash)) lost.push_back(hash);
        }
    }
    for (const content_hash& hash : lost) {
        query gone{db, "DELETE FROM blob WHERE thread = ? AND hash = ? RETURNING length(bytes)", thread, raw{hash}};
        while (gone.next()) report.bytes += gone.as<std::uint64_t>(0);
        ++report.blobs;
    }
}

}  // namespace

prune_report prune_thread(connection& db, const thread_key& thread, const retention& what)
{
    prune_report report;
    const auto found = find_thread(db, thread);
    if (!found) return report;
    delete_old_checkpoints(db, *found, what, report);
    delete_lost_blobs(db, found->no, report);
    return report;
}

bool drop_thread(connection& db, const thread_key& thread)
{
    const std::int64_t no = thread_number(db, thread);
    if (no == 0) return false;
    query{db, "DELETE FROM question WHERE thread = ?", no}.run();
    query{db, "DELETE FROM effect WHERE thread = ?", no}.run();
    query{db, "DELETE FROM blob WHERE thread = ?", no}.run();
    query{db, "DELETE FROM checkpoint WHERE thread = ?", no}.run();
    // A trigger removes the events of these runs.
    query{db, "DELETE FROM run WHERE thread = ?", no}.run();
    query{db, "DELETE FROM thread WHERE no = ?", no}.run();
    return true;
}

thread_usage read_usage(connection& db, const thread_key& thread)
{
    thread_usage found;
    const std::int64_t no = thread_number(db, thread);
    query asked{db,
                "SELECT (SELECT count(*) FROM checkpoint WHERE thread = ?1), "
                "(SELECT count(*) FROM blob WHERE thread = ?1), "
                "(SELECT coalesce(sum(length(body)), 0) FROM checkpoint WHERE thread = ?1) + "
                "(SELECT coalesce(sum(length(bytes)), 0) FROM blob WHERE thread = ?1) + "
                "(SELECT coalesce(sum(length(CAST(address AS BLOB)) + length(CAST(key AS BLOB)) + length(body)), 0) "
                "FROM effect WHERE thread = ?1) + "
                "(SELECT coalesce(sum(length(CAST(address AS BLOB)) + length(question) + length(answer)), 0) "
                "FROM question WHERE thread = ?1)",
                no};
    if (!asked.next()) return found;
    found.checkpoints = asked.as<std::uint64_t>(0);
    found.blobs = asked.as<std::uint64_t>(1);
    found.bytes = asked.as<std::uint64_t>(2);
    return found;
}

std::vector<thread_summary> read_threads(connection& db, const std::string& tenant, const std::string& after,
                                         std::size_t max)
{
    query asked{db,
                "SELECT t.name, t.head, r.id, t.changed FROM thread t LEFT JOIN run r ON r.no = t.active "
                "WHERE t.tenant = ? AND t.name > ? ORDER BY t.name LIMIT ?",
                tenant, after, std::min<std::size_t>(max, INT64_MAX)};
    std::vector<thread_summary> found;
    while (asked.next()) {
        thread_summary& summary = found.emplace_back();
        summary.thread = thread_key{asked.text(0), tenant};
        summary.head = asked.integer(1);
        if (!asked.is_null(2)) summary.active = run_id{asked.id(2)};
        summary.changed = as_wall_time(asked.integer(3));
    }
    return found;
}

}  // namespace weft::sqlite_detail
