#include "merged_commits.hpp"

#include "commit_parameters.hpp"

#include <span>
#include <utility>

namespace weft::postgres_detail {

namespace {

bool is_mergeable(const sql_request& request)
{
    return request.commit() && request.steps().empty() && request.commit()->is_mergeable();
}

/** Behind the steps that lead it. */
sql_request request_for(const sql_request& asked)
{
    sql_request alone;
    for (const sql_step& step : asked.steps()) alone.step(*step.statement, step.parameters);
    add_commit(alone, *asked.commit());
    return alone;
}

}  // namespace

merged_commits::merged_commits(const std::vector<const sql_request*>& batch)
{
    std::vector<const pending_commit*> side_by_side;
    for (std::size_t first = 0; first < batch.size();) {
        side_by_side.clear();
        std::size_t end = first;
        while (end < batch.size() && is_mergeable(*batch[end]) &&
               (end == first || batch[end - 1]->lock_order() != batch[end]->lock_order()))
            side_by_side.push_back(batch[end++]->commit());
        const sql_request& next = *batch[first];
        part& made = parts_.emplace_back();
        made.commits = next.commit() != nullptr;
        if (side_by_side.size() > 1) {
            made.count = side_by_side.size();
            requests_.push_back(&made_.emplace_back(merged_request(side_by_side)));
        } else {
            made.before = next.steps().size();
            requests_.push_back(made.commits ? &made_.emplace_back(request_for(next)) : &next);
        }
        first += made.count;
    }
}

std::vector<sql_answer> merged_commits::apart(std::vector<std::vector<sql_result>> results) const
{
    std::vector<sql_answer> answers;
    for (std::size_t at = 0; at < parts_.size(); ++at) {
        const part& made = parts_[at];
        const std::size_t first = answers.size();
        answers.resize(first + made.count);
        if (made.commits) {
            const sql_result& rows = results[at].at(made.before);
            for (std::size_t row = 0; row < rows.size(); ++row) {
                const bool is_alone = made.count == 1;
                const std::int64_t place = is_alone ? 1 : rows.integer(row, 0);
                answers.at(first + static_cast<std::size_t>(place - 1)).head = rows.integer(row, is_alone ? 0 : 1);
            }
        }
        if (made.count == 1) answers[first].results = std::move(results[at]);
    }
    return answers;
}

}  // namespace weft::postgres_detail
