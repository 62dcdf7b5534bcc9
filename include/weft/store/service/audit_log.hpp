#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/store/role/document_store.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** Something that a person or program did to a server, to be accounted for. */
struct audit_entry {
    std::string tenant;
    std::string actor;          ///< Who did it, such as the name of an API key.
    std::string action;         ///< What was done, such as "run.cancel".
    std::string target;         ///< To what, such as the id of a run; empty: to the server.
    std::string detail = "{}";  ///< A JSON object: whatever else is worth knowing.
    wall_time at;               ///< Set by the log.
};

/** Which entries to list. */
struct audit_query {
    std::optional<std::string> tenant = {};  ///< None: of all tenants.
    std::optional<std::string> actor = {};   ///< None: of all actors.
    std::optional<std::string> action = {};  ///< None: all actions.
    std::optional<std::string> target = {};  ///< None: all targets.
    std::string after = {};       ///< `audit_page::next` of the page before; empty: the first page.
    std::size_t count_max = 100;  ///< At most so many.
};

/** A part of a list of entries, the newest first. */
struct audit_page {
    std::vector<audit_entry> entries;
    std::string next;  ///< For `audit_query::after`; empty: nothing follows.
};

/** Keeps what was done to a server in a `document_store`. Entries are added and never changed.
 *
 *      audit_entry entry{.tenant = "acme", .actor = "ann", .action = "run.cancel", .target = run.text()};
 *      co_await audit.add(std::move(entry), 2160h);
 *
 *  An entry has an end of its life, or stays for ever. What is older is removed by `sweep` only.
 *
 *  @par Errors          As `document_store`.
 *  @par Thread safety   As `document_store`.
 *  @par Lifetimes       The store outlives it.
 */
class audit_log {
public:
    explicit audit_log(document_store& documents) noexcept : documents_{documents} {}

    /** Adds an entry. @param lifetime  From now; none: for ever. */
    [[nodiscard]] task<void> add(audit_entry entry, std::optional<std::chrono::milliseconds> lifetime);
    /** Entries, page by page. */
    [[nodiscard]] task<audit_page> search(audit_query query);
    /** Removes entries whose life is over. @return How many; at most `count_max`. */
    [[nodiscard]] task<std::size_t> sweep(std::size_t count_max);

private:
    document_store& documents_;
};

}  // namespace weft
