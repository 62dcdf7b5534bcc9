#include <boost/test/unit_test.hpp>

#include "durable_world.hpp"
#include "store/sqlite_fixture.hpp"

#include <weft/async/run_blocking.hpp>

using namespace weft_tests;
using sqlite_tests::foreign_connection;
using sqlite_tests::store_file;
using sqlite_tests::store_ptr;
using weft::run_status;

BOOST_AUTO_TEST_SUITE(sqlite_engine_test)

namespace {

constexpr std::int64_t rounds = 20;
constexpr std::size_t text_bytes = 50'000;

/** Goes round 20 times and adds 50 kB each time. */
weft::graph growing_graph(std::shared_ptr<begun_nodes> begun)
{
    weft::graph_builder builder{"growing"};
    builder.state(total, words);
    builder.node("grow", [begun](weft::node_context& at) {
        ++begun->times["grow"];
        const std::int64_t round = at.value_or(total, 0);
        at.set(total, 1);
        at.set(words, std::to_string(round) + std::string(text_bytes, static_cast<char>('a' + round)));
    });
    builder.edge(weft::start, "grow");
    builder.edge_when("grow", "grow", [](const weft::state_view& at) { return at.value_or(total, 0) < rounds; });
    return builder.edge("grow", weft::end).build();
}

weft::task<weft::run_result> run_in_file(weft::sqlite_options how, std::shared_ptr<const weft::durable_graphs> graphs)
{
    const store_ptr store = co_await weft::sqlite_store::open(std::move(how));
    weft::task<weft::run_result> running = first_process(*store, std::move(graphs), weft::durable_options{});
    weft::run_result result = co_await std::move(running);
    co_return result;
}

weft::task<weft::thread_snapshot> read_in_file(weft::sqlite_options how,
                                               std::shared_ptr<const weft::durable_graphs> graphs)
{
    const store_ptr store = co_await weft::sqlite_store::open(std::move(how));
    weft::durable_engine durable{*store, std::move(graphs)};
    weft::task<weft::thread_snapshot> reading = durable.read(weft::thread_key{"t"});
    weft::thread_snapshot last = co_await std::move(reading);
    co_return last;
}

}  // namespace

BOOST_AUTO_TEST_CASE(P37_a_full_file_fails_the_run_by_name_and_with_room_it_goes_on_from_what_was_kept)
{
    const store_file file{"full-engine"};
    auto begun = std::make_shared<begun_nodes>();
    const auto graphs = graphs_of(growing_graph(begun));
    const weft::sqlite_options small = file.with(&weft::sqlite_options::quota_bytes, 700'000);
    const weft::run_result full = weft::run_blocking(run_in_file(small, graphs));
    BOOST_TEST((full.status == run_status::failed));
    BOOST_TEST_REQUIRE(full.why);
    BOOST_TEST((full.why->code == weft::errc::store_full), full.message());
    BOOST_TEST(full.why->node == "grow");
    const weft::thread_snapshot kept = weft::run_blocking(read_in_file(file.options(), graphs));
    const std::int64_t so_far = kept.state().get(total);
    BOOST_TEST(so_far > 2);
    BOOST_TEST(so_far < rounds);
    BOOST_TEST(begun->times["grow"] == so_far + 1);
    // With room, on the next request.
    const weft::run_result rest = weft::run_blocking(run_in_file(file.options(), graphs));
    BOOST_TEST((rest.status == run_status::finished), rest.message());
    BOOST_TEST(rest.state.get(total) == rounds);
    BOOST_TEST(begun->times["grow"] == rounds + 1);
    const std::vector<std::string>& texts = rest.state.get(words);
    BOOST_TEST_REQUIRE(texts.size() == static_cast<std::size_t>(rounds));
    for (std::size_t i = 0; i < texts.size(); ++i) BOOST_TEST(texts[i].starts_with(std::to_string(i)));
}

BOOST_AUTO_TEST_CASE(a_file_that_may_only_be_read_is_told_at_once_and_what_it_has_can_be_read)
{
    const store_file file{"read-only-engine"};
    const auto graphs = graphs_of(counted_chain(std::make_shared<begun_nodes>()));
    static_cast<void>(weft::run_blocking(run_in_file(file.options(), graphs)));
    const weft::sqlite_options read_only = file.with(&weft::sqlite_options::access, weft::sqlite_access::read_only);
    const auto before = weft::real_clock().now();
    const auto refused = weft::run_blocking(error_from(run_in_file(read_only, graphs)));
    BOOST_TEST((weft::real_clock().now() - before < 5s));  // a lifetime is 15 s
    BOOST_TEST_REQUIRE(refused.has_value());
    BOOST_TEST((refused->code() == weft::errc::store_refused), refused->what());
    BOOST_TEST(std::string{refused->what()}.find(file.path()) != std::string::npos);
    const weft::thread_snapshot last = weft::run_blocking(read_in_file(read_only, graphs));
    BOOST_TEST(last.state().get(total) == 3);
}

namespace {

weft::task<weft::run_result> resume_in_file(weft::sqlite_options how,
                                            std::shared_ptr<const weft::durable_graphs> graphs)
{
    const store_ptr store = co_await weft::sqlite_store::open(std::move(how));
    weft::durable_engine durable{*store, std::move(graphs)};
    co_await durable.open();
    weft::task<weft::run_result> resuming = durable.resume(weft::thread_key{"t"});
    weft::run_result result = co_await std::move(resuming);
    co_return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_damaged_checkpoint_is_named_its_run_waits_and_goes_on_when_it_is_mended)
{
    const store_file file{"corrupt-engine"};
    auto begun = std::make_shared<begun_nodes>();
    weft::node_options pausing;
    pausing.pauses = weft::pause_point::before;
    const auto graphs = graphs_of(counted_chain(begun, pausing));
    const weft::run_result paused = weft::run_blocking(run_in_file(file.options(), graphs));
    BOOST_TEST_REQUIRE((paused.status == run_status::paused));
    {
        foreign_connection other{file.path()};
        other.run("CREATE TABLE kept AS SELECT sequence, body FROM checkpoint;"
                  "UPDATE checkpoint SET body = substr(body, 1, 5)");
    }
    for (int i = 0; i < 2; ++i) {
        const weft::run_result broken = weft::run_blocking(resume_in_file(file.options(), graphs));
        BOOST_TEST((broken.status == run_status::failed));
        BOOST_TEST_REQUIRE(broken.why);
        BOOST_TEST((broken.why->code == weft::errc::store_corrupt), broken.message());
    }
    {
        foreign_connection other{file.path()};
        other.run("UPDATE checkpoint SET body = (SELECT body FROM kept WHERE kept.sequence = checkpoint.sequence)");
    }
    const weft::run_result rest = weft::run_blocking(resume_in_file(file.options(), graphs));
    BOOST_TEST((rest.status == run_status::finished), rest.message());
    BOOST_TEST(begun->times == (std::map<std::string, int>{{"a", 1}, {"b", 1}, {"c", 1}}));
}

BOOST_AUTO_TEST_SUITE_END()
