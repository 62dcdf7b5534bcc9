#include <boost/test/unit_test.hpp>

#include "durable_cases.hpp"
#include "tool/own_directory.hpp"

#include <weft/async/scope.hpp>
#include <weft/base/list.hpp>
#include <weft/engine/scheduler/frontier.hpp>
#include <weft/store/role/forwarding_store.hpp>
#include <weft/store/sqlite_store.hpp>

using namespace weft_tests;
using weft::run_status;
using weft::task;
using weft::thread_key;
using weft::testing::simulation;

BOOST_AUTO_TEST_SUITE(durable_storage_test)

BOOST_AUTO_TEST_CASE(P32_every_checkpoint_of_graphs_that_go_on_meanwhile_leads_to_the_same_end)
{
    simulation sim{3};
    weft::memory_store store{test_key()};
    const auto begun = std::make_shared<begun_nodes>();
    weft::durable_options options;
    options.keep_last = 0;
    weft::durable_engine durable{store, graphs_of(counted_maze(begun)), options};
    sim.run(durable.open());
    const weft::run_result whole = sim.run(durable.run(in_thread("t")));
    BOOST_REQUIRE((whole.status == run_status::finished));
    const auto infos = sim.run(durable.history(thread_key{"t"}, weft::history_page{.count_max = 1000}));
    int nested = 0;
    for (const weft::checkpoint_info& info : infos) {
        const weft::thread_snapshot at = sim.run(durable.read(thread_key{"t"}, info.sequence));
        if (at.where().extras) nested += at.where().extras->inner.empty() ? 0 : 1;
        if (!at.is_unfinished()) continue;
        const std::string name = "fork-" + std::to_string(info.sequence);
        const weft::run_result forked = sim.run(durable.replay(thread_key{"t"}, info.sequence, in_thread(name)));
        BOOST_REQUIRE_MESSAGE(forked.status == run_status::finished, name << ": " << forked.message());
        BOOST_REQUIRE_MESSAGE(sorted_words(forked.state) == sorted_words(whole.state), name);
        BOOST_REQUIRE_MESSAGE(forked.steps == whole.steps, name);
    }
    BOOST_TEST(nested > 5);  // the graph inside was under way in these
    sim.run(durable.close());
}

namespace {

weft::graph thirty_rounds()
{
    weft::graph_builder builder{"rounds"};
    builder.state(value, other, total, words);
    const auto round = [](weft::node_context& context) {
        context.set(total, 1);
        context.set(words, std::string(100, 'w'));
    };
    builder.node("a", round).edge(weft::start, "a");
    builder.edge_when("a", "a", [](const weft::state_view& state) { return state.get(total) % 30 != 0; });
    return builder.edge("a", weft::end).build();
}

task<void> two_minutes() { co_await weft::sleep_for(120s); }

std::vector<std::int64_t> sequences_of(simulation& sim, weft::checkpoint_store& store)
{
    std::vector<std::int64_t> all;
    for (const auto& info : sim.run(store.history(thread_key{"t"}, weft::history_page{.count_max = 1000})))
        all.push_back(info.sequence);
    return all;
}

}  // namespace

namespace {

class pruning_counted final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;
    task<weft::prune_report> prune(thread_key thread, weft::retention what) override
    {
        ++prunings;
        return forwarding_store::prune(std::move(thread), what);
    }

    int prunings = 0;
};

}  // namespace

// It is a transaction of its own, which short runs would all pay for.
BOOST_AUTO_TEST_CASE(a_thread_with_no_more_checkpoints_than_are_kept_is_not_pruned)
{
    simulation sim{1};
    weft::memory_store kept{test_key()};
    pruning_counted store{kept};
    weft::durable_options options;
    options.keep_last = 30;
    weft::durable_engine durable{store, graphs_of(thirty_rounds()), options};
    sim.run(durable.open());
    static_cast<void>(sim.run(durable.run(in_thread("t"))));
    BOOST_TEST(store.prunings == 0);
    static_cast<void>(sim.run(durable.run(in_thread("t"))));
    BOOST_TEST(store.prunings > 0);
    BOOST_TEST(sequences_of(sim, kept).size() == 30u);
    sim.run(durable.close());
}

BOOST_AUTO_TEST_CASE(P33_retention_keeps_the_last_the_named_and_the_forked_and_what_is_held_can_be_seen)
{
    simulation sim{1};
    weft::memory_store store{test_key()};
    const thread_key key{"t"};
    {
        weft::durable_options all;
        all.keep_last = 0;
        weft::durable_engine durable{store, graphs_of(thirty_rounds()), all};
        sim.run(durable.open());
        static_cast<void>(sim.run(durable.run(in_thread("t"))));
        BOOST_TEST(sim.run(store.label(key, 5, "good")));
        static_cast<void>(sim.run(durable.fork(key, 7, thread_key{"fork"})));
        sim.run(durable.close());
    }
    BOOST_TEST(sequences_of(sim, store).size() == 30u);
    const weft::thread_usage before = sim.run(store.usage(key));
    BOOST_TEST(before.checkpoints == 30u);
    {
        weft::durable_options few;
        few.keep_last = 3;
        weft::durable_engine durable{store, graphs_of(thirty_rounds()), few};
        sim.run(durable.open());
        static_cast<void>(sim.run(durable.run(in_thread("t"))));
        sim.run(durable.close());
    }
    BOOST_TEST(sequences_of(sim, store) == (std::vector<std::int64_t>{60, 59, 58, 7, 5}),
               boost::test_tools::per_element());
    const weft::thread_usage after = sim.run(store.usage(key));
    BOOST_TEST(after.checkpoints == 5u);
    BOOST_TEST(after.bytes < before.bytes);
    {
        weft::durable_options young;
        young.keep_last = 0;
        young.keep_for = std::chrono::seconds{60};
        weft::durable_engine durable{store, graphs_of(thirty_rounds()),
                                     young};
        sim.run(durable.open());
        sim.run(two_minutes());
        static_cast<void>(sim.run(durable.run(in_thread("t"))));
        const std::vector<std::int64_t> left = sequences_of(sim, store);
        BOOST_TEST(left.size() == 32u);  // this run's thirty, the named one and the one that was forked from
        BOOST_TEST(left.back() == 5);
        // Forgetting a thread removes all of it; its fork is another one.
        BOOST_TEST(sim.run(durable.forget(key)));
        BOOST_TEST(sim.run(store.usage(key)).bytes == 0u);
        BOOST_TEST(sim.run(durable.read(thread_key{"fork"})).state().get(total) == 7);
        sim.run(durable.close());
    }
}

namespace {

inline constexpr weft::state_key<weft::list<std::string>, weft::append> messages{"messages"};

std::string message(std::size_t number)
{
    std::string text = std::to_string(number) + " ";
    text.resize(1000, 'm');
    return text;
}

weft::graph long_talk()
{
    weft::graph_builder builder{"talk"};
    builder.state(total, messages);
    const auto load = [](weft::node_context& context) {
        weft::list<std::string> all;
        for (std::size_t i = 0; i < 10'000; ++i) all.push_back(message(i));
        context.overwrite(messages, std::move(all));
    };
    const auto say = [](weft::node_context& context) {
        context.set(total, 1);
        context.set(messages, message(10'000 + static_cast<std::size_t>(context.get(total))));
    };
    builder.node("load", load).node("say", say).edge(weft::start, "load").edge("load", "say");
    builder.edge_when("say", "say", [](const weft::state_view& state) { return state.get(total) < 1000; });
    return builder.edge("say", weft::end).build();
}

}  // namespace

BOOST_AUTO_TEST_CASE(P34_a_thousand_steps_of_a_conversation_of_ten_thousand_messages_store_it_once)
{
    simulation sim{1};
    weft::memory_store store{test_key()};
    weft::run_options limits;
    limits.steps_max(2000);
    weft::durable_options all;
    all.keep_last = 0;
    weft::durable_engine durable{store, graphs_of(long_talk(), limits), all};
    sim.run(durable.open());
    const weft::run_result result = sim.run(durable.run(in_thread("t")));
    BOOST_REQUIRE_MESSAGE(result.status == run_status::finished, result.message());
    BOOST_TEST(result.state.get(messages).size() == 11'000u);
    const weft::thread_usage usage = sim.run(store.usage(thread_key{"t"}));
    BOOST_TEST(usage.checkpoints == 1001u);
    std::size_t final_size = 0;
    for (const std::string& each : result.state.get(messages)) final_size += each.size() + 3;
    const double share = static_cast<double>(usage.bytes) / static_cast<double>(final_size);
    BOOST_TEST_MESSAGE("stored: " << share << " of the final size");
    BOOST_TEST(share <= 1.1);
    sim.run(durable.close());
}

BOOST_AUTO_TEST_CASE(P35_runs_side_by_side_share_the_commits_of_their_store)
{
    const own_directory where{"shared-commits"};
    simulation sim{1};
    weft::sqlite_options how{(where.path() / "weft.db").string()};
    how.sync = weft::sqlite_sync::normal;
    task<std::unique_ptr<weft::sqlite_store>> opening = weft::sqlite_store::open(how);
    const std::unique_ptr<weft::sqlite_store> store = sim.run(std::move(opening));
    const auto all_at_once = [](weft::checkpoint_store& in) -> task<int> {
        weft::durable_engine durable{in, graphs_of(thirty_rounds())};
        co_await durable.open();
        int finished = 0;
        struct one {
            static task<void> run(weft::durable_engine& with, std::string thread, int& finished)
            {
                const weft::run_result result = co_await with.run(in_thread(std::move(thread)));
                finished += result.status == run_status::finished ? 1 : 0;
            }
        };
        const weft::task_context& context = co_await weft::this_task::context();
        {
            weft::scope children{context};
            for (int i = 0; i < 50; ++i) children.spawn(one::run(durable, "t-" + std::to_string(i), finished));
            co_await children.join();
        }
        co_await durable.close();
        co_return finished;
    };
    BOOST_TEST(sim.run(all_at_once(*store)) == 50);
    const weft::sqlite_counts counts = store->counts();
    BOOST_TEST_MESSAGE(counts.writes << " writes in " << counts.transactions << " transactions");
    BOOST_TEST(counts.writes >= 50u * 30u);
    BOOST_TEST(counts.transactions < counts.writes);  // how much fewer depends on how fast the disk is
}

BOOST_AUTO_TEST_SUITE_END()
