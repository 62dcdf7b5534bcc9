#include "chain_checks.hpp"

namespace weft_chaos {

namespace {

/** Says what is wrong if a question to the database has another answer than this. */
void expect(const weft_tests::postgres_server& server, const std::string& question, const std::string& answer,
            const std::string& otherwise, std::vector<std::string>& wrong)
{
    const std::string found = server.query(question);
    if (found != answer) wrong.push_back(otherwise + ": " + found + " instead of " + answer);
}

}  // namespace

void check_writers(const weft_tests::postgres_server& server, const std::string& schema,
                   std::vector<std::string>& wrong)
{
    const std::string checkpoints = schema + ".checkpoint";
    expect(server, "SELECT count(*) FROM " + checkpoints + " WHERE parent <> seq - 1", "0", "orphans", wrong);
    expect(server, "SELECT count(*) - coalesce((SELECT sum(last) FROM (SELECT max(seq) AS last FROM " + checkpoints +
                       " GROUP BY thread) AS ends), 0) FROM " + checkpoints, "0", "holes", wrong);
    expect(server, "SELECT count(*) FROM (SELECT epoch < lag(epoch) OVER (PARTITION BY thread ORDER BY seq) AS falls"
                       " FROM " + checkpoints + ") AS epochs WHERE falls", "0", "epochs that fall", wrong);
    expect(server, "SELECT count(*) FROM (SELECT step < lag(step) OVER (PARTITION BY run ORDER BY seq) AS falls"
                       " FROM " + checkpoints + ") AS steps WHERE falls", "0", "steps that fall", wrong);
    expect(server, "SELECT count(*) - count(DISTINCT run) FROM " + checkpoints + " WHERE kind = 4", "0",
           "ends of runs that had ended", wrong);
}

void check_chains(const weft_tests::postgres_server& server, const std::string& schema, std::size_t runs,
                  std::vector<std::string>& wrong)
{
    const std::string all_runs = std::to_string(runs);
    check_writers(server, schema, wrong);
    expect(server, "SELECT count(DISTINCT run) FROM " + schema + ".checkpoint WHERE kind = 4", all_runs,
           "runs that ended", wrong);
    expect(server, "SELECT count(*) FROM " + schema + ".run WHERE phase = 4", all_runs, "finished runs", wrong);
    expect(server, "SELECT count(*) FROM " + schema + ".effect", "0", "effects that nobody settled", wrong);
}

}  // namespace weft_chaos
