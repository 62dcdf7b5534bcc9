#include "merged_commits.hpp"

#include "sql_statements.hpp"

#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace weft::postgres_detail {

namespace {

constexpr std::size_t plain_parameters = 16;  // of `sql::commit`, before those of the blobs
constexpr std::size_t blob_parameters = 3;

const sql_parameters& parameters_of(const sql_request& commit) { return commit.steps().front().parameters; }

bool is_mergeable(const sql_request& request)
{
    const std::vector<sql_step>& steps = request.steps();
    if (steps.size() != 1 || steps.front().statement != &sql::commit) return false;
    // A null has no place among the others; a run without an id is refused anyway.
    for (std::size_t i = 0; i < plain_parameters; ++i)
        if (!steps.front().parameters.data(i)) return false;
    return true;
}

sql_request merged(std::span<const sql_request* const> commits)
{
    // The heads of the arrays, and a length before each value; blobs have a place beside.
    constexpr std::size_t parameters = plain_parameters + 1 + blob_parameters;
    std::size_t bytes = parameters * 20;
    for (const sql_request* each : commits) bytes += each->bytes() + plain_parameters * sizeof(std::int32_t);
    sql_parameters all;
    all.reserve(parameters, bytes);
    std::vector<std::string_view> values(commits.size());
    for (std::size_t i = 0; i < plain_parameters; ++i) {
        for (std::size_t each = 0; each < commits.size(); ++each) values[each] = parameters_of(*commits[each]).value(i);
        all.values(sql::commit.types[i], values);
    }
    std::vector<std::string> places(commits.size());
    std::vector<std::string_view> place_of_blobs;
    std::vector<std::string_view> of_blobs[blob_parameters];
    for (std::size_t each = 0; each < commits.size(); ++each) {
        append_int64(places[each], static_cast<std::int64_t>(each + 1));
        for (std::size_t i = 0; i < blob_parameters; ++i) {
            const auto more = parameters_of(*commits[each]).elements(plain_parameters + i);
            of_blobs[i].insert(of_blobs[i].end(), more.begin(), more.end());
        }
        place_of_blobs.resize(of_blobs[0].size(), places[each]);
    }
    all.values('i', place_of_blobs);
    for (const auto& values_of : of_blobs) all.values('b', values_of);
    sql_request request;
    request.step(sql::commit_many, std::move(all)).writing();
    return request;
}

/** The row that `sql::commit` gives; without a head none. */
sql_result row_of(std::string_view head)
{
    static char name[] = "head";
    PGresAttDesc column{};
    column.name = name;
    column.format = 1;
    column.typid = type_oid('i');
    column.typlen = sizeof(std::int64_t);
    column.atttypmod = -1;
    sql_result made{PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK)};
    const bool is_made = made.get() && PQsetResultAttrs(made.get(), 1, &column) != 0 &&
                         (head.empty() || PQsetvalue(made.get(), 0, 0, const_cast<char*>(head.data()),
                                                     static_cast<int>(head.size())) != 0);
    if (!is_made) throw std::bad_alloc{};
    return made;
}

}  // namespace

merged_commits::merged_commits(const std::vector<const sql_request*>& batch)
{
    for (std::size_t first = 0; first < batch.size();) {
        std::size_t end = first;
        while (end < batch.size() && is_mergeable(*batch[end]) &&
               (end == first || batch[end - 1]->lock_order() != batch[end]->lock_order()))
            ++end;
        if (end < first + 2) {
            end = first + 1;
            requests_.push_back(batch[first]);
        } else {
            requests_.push_back(&made_.emplace_back(merged(std::span{batch}.subspan(first, end - first))));
        }
        counts_.push_back(end - first);
        first = end;
    }
}

std::vector<std::vector<sql_result>> merged_commits::apart(std::vector<std::vector<sql_result>> results) const
{
    std::vector<std::vector<sql_result>> each;
    for (std::size_t request = 0; request < counts_.size(); ++request) {
        if (counts_[request] == 1) {
            each.push_back(std::move(results[request]));
            continue;
        }
        std::vector<std::string_view> heads(counts_[request]);
        const sql_result& rows = results[request].front();
        for (std::size_t row = 0; row < rows.size(); ++row)
            heads.at(static_cast<std::size_t>(rows.integer(row, 0) - 1)) = rows.text(row, 1);
        for (const std::string_view head : heads) each.emplace_back().push_back(row_of(head));
    }
    return each;
}

}  // namespace weft::postgres_detail
