#pragma once

#include "sql_answer.hpp"
#include "sql_request.hpp"

#include <cstddef>
#include <deque>
#include <vector>

namespace weft::postgres_detail {

/** What a batch is sent as: checkpoints that stand side by side become one statement, which costs the server half of
 *  what they cost one by one.
 *
 *  Only those that stand side by side in the order in which threads are locked, and none of one thread: so a batch
 *  locks in that order as before. What events and settled addresses they have goes along, as more arrays. If one of
 *  them cannot be written, nothing of the batch is, and each is sent by itself.
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
    /** From the results of `requests` the answer to each request of the batch. */
    [[nodiscard]] std::vector<sql_answer> apart(std::vector<std::vector<sql_result>> results) const;

private:
    /** What a request that is sent stands for. */
    struct part {
        std::size_t count = 1;   // of requests of the batch
        std::size_t before = 0;  // steps in front of the one that writes a checkpoint
        bool commits = false;
    };

    std::deque<sql_request> made_;
    std::vector<const sql_request*> requests_;
    std::vector<part> parts_;
};

}  // namespace weft::postgres_detail
