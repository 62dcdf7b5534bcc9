#include <boost/test/unit_test.hpp>

#include "durable_world.hpp"
#include "store/sqlite_fixture.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/base/random.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace weft_tests;
using sqlite_tests::store_file;
using sqlite_tests::store_ptr;

BOOST_AUTO_TEST_SUITE(sqlite_torn_log_test)

namespace {

/** Fan-outs and a loop in four rounds, without waiting. */
weft::graph quick_maze(std::shared_ptr<begun_nodes> begun)
{
    weft::graph_builder builder{"quick"};
    builder.state(total, words);
    builder.node("s", counts(begun, 0ms)).node("x", counts(begun, 0ms)).node("y", counts(begun, 0ms));
    builder.node("y1", counts(begun, 0ms)).node("y2", counts(begun, 0ms)).node("z", counts(begun, 0ms));
    builder.node("j", counts(begun, 0ms));
    builder.edge(weft::start, "s").edge("s", "x").edge("s", "y").edge("y", "y1").edge("y", "y2");
    builder.edge("y1", "z").edge("y2", "z").edge("x", "j").edge("z", "j");
    builder.edge_when("j", "s", [](const weft::state_view& at) { return at.value_or(total, 0) < 28; });
    return builder.edge("j", weft::end).build();
}

std::string bytes_of(const std::string& path)
{
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

void put(const std::string& path, const std::string& bytes) { std::ofstream{path, std::ios::binary} << bytes; }

/** The file and its log while the run is over and the store still open: nothing is copied into the file yet. */
struct files {
    std::string database;
    std::string log;
};

weft::task<files> run_and_copy(const store_file& file, thread_end& end)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    end = co_await carry_to_the_end(*store, graphs_of(quick_maze(std::make_shared<begun_nodes>())));
    BOOST_TEST(store->counts().log_resets == 0u);
    files copied{bytes_of(file.path()), bytes_of(file.path() + "-wal")};
    co_return copied;
}

weft::task<thread_end> go_on_in(const store_file& file, std::shared_ptr<begun_nodes> begun, std::int64_t& kept)
{
    const store_ptr store =
        co_await weft::sqlite_store::open(file.with(&weft::sqlite_options::check, weft::sqlite_check::whole));
    const weft::thread_key key{"t"};
    const auto head = co_await store->load(key, std::nullopt);
    kept = head ? head->sequence : 0;
    thread_end end = co_await carry_to_the_end(*store, graphs_of(quick_maze(begun)));
    co_return end;
}

}  // namespace

BOOST_AUTO_TEST_CASE(X_3_whatever_a_dying_machine_leaves_of_the_log_no_half_of_a_write_exists_and_the_run_goes_on)
{
    const store_file whole{"log"};
    thread_end expected;
    const files all = weft::run_blocking(run_and_copy(whole, expected));
    BOOST_TEST_REQUIRE(expected.total == 28);
    BOOST_TEST_REQUIRE(all.log.size() > 100'000u);
    weft::random_source random{7};
    std::int64_t lost = 0;
    std::int64_t longest = 0;
    constexpr int trials = 48;
    for (int trial = 0; trial < trials; ++trial) {
        const store_file file{"torn"};
        std::string log = all.log.substr(0, random.below(all.log.size()));
        // A page that was only written in part: the disk had something else there.
        const std::size_t torn = std::min<std::size_t>(log.size(), random.below(4'000));
        if (trial % 2 == 1) std::fill(log.end() - static_cast<std::ptrdiff_t>(torn), log.end(), '\x5a');
        put(file.path(), all.database);
        put(file.path() + "-wal", log);
        auto begun = std::make_shared<begun_nodes>();
        std::int64_t kept = 0;
        const thread_end end = weft::run_blocking(go_on_in(file, begun, kept));
        BOOST_TEST_CONTEXT("log cut at " << log.size() << ", kept " << kept)
        {
            BOOST_TEST(end.total == expected.total);
            BOOST_TEST(end.steps == expected.steps);
            BOOST_TEST(end.words == expected.words, boost::test_tools::per_element());
            longest = std::max(longest, kept);
            int nodes = 0;
            for (const auto& [node, times] : begun->times) nodes += times;
            BOOST_TEST((kept == 0 || nodes < 28));  // what was kept did not begin again
            if (nodes > 0) ++lost;
        }
    }
    BOOST_TEST(lost > trials / 2);
    BOOST_TEST(longest > 10);
}

BOOST_AUTO_TEST_SUITE_END()
