#ifdef WEFT_HAS_POSTGRES

#include "store/postgres/sql/merged_commits.hpp"
#include "store/postgres/sql/sql_statements.hpp"
#include "store/postgres_fixture.hpp"

#include <weft/async/scope.hpp>

#include <deque>
#include <string>
#include <vector>

namespace merged_commits_test {

namespace ut = boost::unit_test;

using namespace std::chrono_literals;
using namespace weft_tests;
using namespace weft::postgres_detail;

weft::checkpoint_draft draft_of(weft::checkpoint_id id, std::vector<weft::event_draft> events = {},
                                std::vector<std::string> settled = {})
{
    weft::checkpoint_draft draft;
    draft.id = id;
    draft.body = "body";
    draft.events = std::move(events);
    draft.settled = std::move(settled);
    return draft;
}

/** Requests as they stand in a batch. */
class batch_of_commits {
public:
    batch_of_commits& add(const std::string& thread, std::vector<weft::event_draft> events = {},
                          std::vector<std::string> settled = {})
    {
        weft::write_fence fence;
        fence.thread = weft::thread_key{thread};
        fence.run = fresh_.run();
        requests_.emplace_back().committing(
            {std::move(fence), draft_of(fresh_.checkpoint(), std::move(events), std::move(settled))});
        return *this;
    }
    [[nodiscard]] std::vector<const sql_request*> requests() const
    {
        std::vector<const sql_request*> all;
        for (const sql_request& each : requests_) all.push_back(&each);
        return all;
    }

private:
    fresh_names fresh_;
    std::deque<sql_request> requests_;
};

/** The statements that a batch is sent as. */
std::vector<std::string> statements_of(const batch_of_commits& batch)
{
    const merged_commits merged{batch.requests()};
    std::vector<std::string> names;
    for (const sql_request* request : merged.requests())
        for (const sql_step& step : request->steps()) names.emplace_back(step.statement->name);
    return names;
}

using names = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(merged_commits_test)

BOOST_AUTO_TEST_CASE(checkpoints_of_different_threads_are_one_statement_with_what_they_bring)
{
    BOOST_TEST(statements_of(batch_of_commits{}.add("a").add("b")) == names{"commit_many"},
               boost::test_tools::per_element());
    BOOST_TEST(statements_of(batch_of_commits{}.add("a").add("b", {}, {"plan#1"})) == names{"commit_many_whole"},
               boost::test_tools::per_element());
    const names with_events{"commit_many_whole", "prune_events_of_many"};
    BOOST_TEST(statements_of(batch_of_commits{}.add("a", {{"k", "1"}}).add("b").add("c", {}, {"plan#1"})) ==
                   with_events,
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(two_checkpoints_of_one_thread_share_no_statement)
{
    const names wanted{"commit_many", "commit_events", "prune_events"};
    BOOST_TEST(statements_of(batch_of_commits{}.add("a").add("b").add("b", {{"k", "1"}})) == wanted,
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(one_alone_has_its_own_statement)
{
    BOOST_TEST(statements_of(batch_of_commits{}.add("a")) == names{"commit"}, boost::test_tools::per_element());
    BOOST_TEST(statements_of(batch_of_commits{}.add("a", {}, {"plan#1"})) == names{"commit_settling"},
               boost::test_tools::per_element());
}

constexpr int threads = 24;

weft::task<void> commit_one(weft::postgres_store& store, weft::write_fence fence, weft::checkpoint_draft draft,
                            weft::commit_result& result)
{
    weft::commit_result written = co_await store.commit(std::move(fence), std::move(draft));
    result = written;
}

/** What a store of many threads was told. */
struct told_threads {
    weft::event_log_limits limits{.events_max = 4, .bytes_max = 1'000};
    std::vector<weft::run_claim> claims;
    std::vector<weft::commit_result> first = std::vector<weft::commit_result>(threads);
    std::vector<weft::commit_result> second = std::vector<weft::commit_result>(threads);
};

weft::task<void> begin_all(weft::postgres_store& store, fresh_names& fresh, told_threads& told)
{
    const weft::worker_id worker = co_await store.enter("test", 60s);
    for (int i = 0; i < threads; ++i) {
        weft::new_run run{weft::thread_key{"thread " + std::to_string(i)}, fresh.run()};
        run.started_by(worker);
        weft::run_admission admission = co_await store.enqueue(std::move(run));
        told.claims.push_back(admission.claim.value());
        const weft::write_fence& fence = told.claims.back().fence;
        weft::effect_record done{"plan#1/charge#0", weft::effect_phase::done, "key", "{}"};
        static_cast<void>(co_await store.record(fence, done));
        done.address = "plan#10/charge#0";
        static_cast<void>(co_await store.record(fence, done));
    }
}

/** All at once: those of even threads have events, of every third one settle, and that of the last is refused. */
weft::task<void> commit_all(weft::postgres_store& store, fresh_names& fresh, told_threads& told,
                            std::vector<weft::commit_result>& results, weft::checkpoint_id taken)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope together{context};
    for (std::size_t i = 0; i < threads; ++i) {
        weft::write_fence fence = told.claims[i].fence;
        std::vector<weft::event_draft> events;
        if (i % 2 == 0) events = {{"a", std::to_string(i)}, {"b", std::string(1, '\0')}, {"c", ""}};
        std::vector<std::string> settled;
        if (i % 3 == 0) settled = {"plan#1"};
        if (i + 1 == threads) fence.epoch += 1;
        const weft::checkpoint_id id = i == 1 && !taken.is_nil() ? taken : fresh.checkpoint();
        weft::checkpoint_draft draft = draft_of(id, std::move(events), std::move(settled));
        draft.event_limits = told.limits;
        weft::task<void> one = commit_one(store, std::move(fence), std::move(draft), results[i]);
        together.spawn(std::move(one));
    }
    co_await together.join();
    for (std::size_t i = 0; i < threads; ++i)
        if (results[i].state == weft::write_state::ok) told.claims[i].fence.head = results[i].head;
}

std::vector<std::string> events_of(weft::postgres_store& store, const weft::run_claim& of)
{
    const weft::event_page page = weft::run_blocking(store.event_log()->read(of.fence.run, 0, 100));
    std::vector<std::string> found;
    const std::uint64_t from = page.state == weft::event_log_state::ok ? 0 : page.first - 1;
    const weft::event_page rest = weft::run_blocking(store.event_log()->read(of.fence.run, from, 100));
    for (const weft::stored_event& each : rest.events)
        found.push_back(std::to_string(each.id) + each.kind + each.data);
    return found;
}

const std::string zero(1, '\0');

BOOST_AUTO_TEST_CASE(what_shares_a_statement_is_written_and_refused_by_itself, *ut::precondition(has_postgres))
{
    fresh_names fresh;
    const std::string schema = fresh.schema();
    const auto store = open_store(options_on(shared_postgres_server(), schema));
    told_threads told;
    weft::run_blocking(begin_all(*store, fresh, told));
    weft::run_blocking(commit_all(*store, fresh, told, told.first, weft::checkpoint_id{}));
    for (std::size_t i = 0; i + 1 < threads; ++i) {
        BOOST_TEST((told.first[i].state == weft::write_state::ok));
        BOOST_TEST(told.first[i].head == 1);
        const weft::thread_key& thread = told.claims[i].fence.thread;
        BOOST_TEST(weft::run_blocking(store->effects(thread)).size() == (i % 3 == 0 ? 1u : 2u), "of thread " << i);
        const names events = i % 2 == 0 ? names{"1a" + std::to_string(i), "2b" + zero, "3c"} : names{};
        BOOST_TEST(events_of(*store, told.claims[i]) == events, boost::test_tools::per_element());
    }
    BOOST_TEST((told.first.back().state == weft::write_state::fenced));
    BOOST_TEST(events_of(*store, told.claims.back()).empty());
    const std::string shared = shared_postgres_server().query(
        "SELECT max(n) > 4 FROM (SELECT count(*) AS n FROM " + schema + ".checkpoint GROUP BY xmin::text) x");
    BOOST_TEST(shared == "t", "checkpoints came with one transaction");
}

BOOST_AUTO_TEST_CASE(one_that_cannot_be_written_leaves_the_others_whole, *ut::precondition(has_postgres))
{
    fresh_names fresh;
    const auto store = open_store(options_on(shared_postgres_server(), fresh.schema()));
    told_threads told;
    weft::run_blocking(begin_all(*store, fresh, told));
    weft::run_blocking(commit_all(*store, fresh, told, told.first, weft::checkpoint_id{}));
    // An id that is in use fails the statement that all share.
    const auto used = weft::run_blocking(store->load(told.claims[2].fence.thread, std::nullopt));
    weft::run_blocking(commit_all(*store, fresh, told, told.second, used->id));
    for (std::size_t i = 0; i + 1 < threads; ++i) {
        const weft::write_state wanted = i == 1 ? weft::write_state::duplicate : weft::write_state::ok;
        BOOST_TEST((told.second[i].state == wanted), "of thread " << i);
        BOOST_TEST(told.second[i].head == (i == 1 ? 1 : 2));
        // Six events are more than the four that a log may have.
        const names events = i % 2 == 0 ? names{"3c", "4a" + std::to_string(i), "5b" + zero, "6c"} : names{};
        BOOST_TEST(events_of(*store, told.claims[i]) == events, boost::test_tools::per_element());
    }
    BOOST_TEST((told.second.back().state == weft::write_state::fenced));
}

BOOST_AUTO_TEST_CASE(logs_that_grow_side_by_side_are_pruned_side_by_side, *ut::precondition(has_postgres))
{
    fresh_names fresh;
    const auto store = open_store(options_on(shared_postgres_server(), fresh.schema()));
    told_threads told;
    weft::run_blocking(begin_all(*store, fresh, told));
    for (int round = 0; round < 3; ++round)
        weft::run_blocking(commit_all(*store, fresh, told, told.second, weft::checkpoint_id{}));
    for (std::size_t i = 0; i + 1 < threads; ++i) {
        BOOST_TEST(told.second[i].head == 3);
        const names events = i % 2 == 0 ? names{"6c", "7a" + std::to_string(i), "8b" + zero, "9c"} : names{};
        BOOST_TEST(events_of(*store, told.claims[i]) == events, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(the_bytes_of_each_log_count_by_themselves, *ut::precondition(has_postgres))
{
    fresh_names fresh;
    const auto store = open_store(options_on(shared_postgres_server(), fresh.schema()));
    told_threads told;
    told.limits = {.events_max = 100, .bytes_max = 12};
    weft::run_blocking(begin_all(*store, fresh, told));
    for (int round = 0; round < 3; ++round)
        weft::run_blocking(commit_all(*store, fresh, told, told.second, weft::checkpoint_id{}));
    for (std::size_t i = 0; i + 1 < threads; i += 2) {
        // Fifteen or eighteen bytes are more than twelve: those of the oldest events go until eleven are left.
        const std::string number = std::to_string(i);
        names events{"5b" + zero, "6c", "7a" + number, "8b" + zero, "9c"};
        if (number.size() == 1) events.insert(events.begin(), {"3c", "4a" + number});
        BOOST_TEST(events_of(*store, told.claims[i]) == events, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace merged_commits_test

#endif
