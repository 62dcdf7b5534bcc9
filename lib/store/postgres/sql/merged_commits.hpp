#pragma once

#include "sql_request.hpp"
#include "sql_result.hpp"

#include <cstddef>
#include <deque>
#include <vector>

namespace weft::postgres_detail {

/** What a batch is sent as: commits that stand side by side become one statement, which costs the server half of
 *  what they cost one by one.
 *
 *  Only those that stand side by side in the order in which threads are locked, and none of one thread: so a batch
 *  locks in that order as before.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       The requests of the batch outlive it.
 */
class merged_commits {
public:
    explicit merged_commits(const std::vector<const sql_request*>& batch);
    merged_commits(const merged_commits&) = delete;
    merged_commits& operator=(const merged_commits&) = delete;

    /** Valid as long as this is. */
    [[nodiscard]] const std::vector<const sql_request*>& requests() const noexcept { return requests_; }
    /** From the results of `requests` those of each request of the batch. */
    [[nodiscard]] std::vector<std::vector<sql_result>> apart(std::vector<std::vector<sql_result>> results) const;

private:
    std::deque<sql_request> made_;
    std::vector<const sql_request*> requests_;
    std::vector<std::size_t> counts_;  // how many of the batch each stands for
};

}  // namespace weft::postgres_detail
