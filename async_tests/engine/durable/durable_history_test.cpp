#include <weft/testing/async_test_case.hpp>

#include "durable_cases.hpp"

#include <weft/store/role/forwarding_store.hpp>

using namespace weft_tests;
using weft::run_status;
using weft::thread_key;

BOOST_AUTO_TEST_SUITE(durable_history_test)

namespace {

weft::errc code_of_read(const std::exception_ptr& cause) { return weft::code_of(cause); }

/** Once lets a run of the thread end, and forgets what was before, between a look at a checkpoint and its values. */
class busy_store final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;
    weft::durable_engine* runs = nullptr;  ///< Not for what it reads itself.
    int gone = 0;

    weft::task<std::vector<weft::blob>> read_blobs(weft::thread_key thread,
                                                   std::vector<weft::content_hash> hashes) override
    {
        if (weft::durable_engine* const others = std::exchange(runs, nullptr)) {
            static_cast<void>(co_await others->run(in_thread(thread.thread)));
            weft::retention newest;
            newest.keep_last = 1;
            const weft::prune_report pruned = co_await inner().prune(thread, newest);
            gone = static_cast<int>(pruned.checkpoints);
        }
        co_return co_await inner().read_blobs(std::move(thread), std::move(hashes));
    }
};

}  // namespace

WEFT_ASYNC_TEST_CASE(history_names_the_nodes_of_graphs_within_nodes)
{
    auto begun = std::make_shared<begun_nodes>();
    const auto graph_of = [&](std::string name, std::string first, auto node) {
        weft::graph_builder builder{std::move(name)};
        builder.state(inner_words).node(first, std::move(node)).node("last", counts_inside(begun, 1ms));
        return builder.edge(weft::start, first).edge(first, "last").build();
    };
    weft::graph think = graph_of("inner", "think", counts_inside(begun, 1ms));
    weft::graph look_up = graph_of("middle", "lookup", weft::subgraph{std::move(think)});
    const weft::graph answer = graph_of("outer", "answer", weft::subgraph{std::move(look_up)});
    weft::memory_store store{test_key()};
    weft::durable_engine steps{store, graphs_of(answer)};
    co_await steps.open();
    static_cast<void>(co_await steps.run(in_thread("t")));
    const std::vector<std::string> kinds = co_await kinds_of(steps, "t");
    BOOST_TEST(kinds == (std::vector<std::string>{"node_complete answer/lookup/think", "node_complete answer/lookup",
                                                  "node_complete answer", "finish"}));
    weft::durable_options before;
    before.is_before_nodes = true;
    weft::durable_engine starts{store, graphs_of(answer), before};
    co_await starts.open();
    static_cast<void>(co_await starts.run(in_thread("u")));
    const std::vector<std::string> all = co_await kinds_of(starts, "u");
    BOOST_TEST(std::count(all.begin(), all.end(), "node_start answer/lookup/think") == 1);
    BOOST_TEST(std::count(all.begin(), all.end(), "node_start answer/lookup/last") == 1);
    BOOST_TEST(std::count(all.begin(), all.end(), "node_start answer") == 1);
}

WEFT_ASYNC_TEST_CASE(what_a_run_forgets_while_it_is_read_is_no_damage)
{
    static constexpr weft::state_key<std::string> text{"text"};
    auto times = std::make_shared<int>(0);
    // Too long for the checkpoint itself, and another one each time.
    const auto say = [times](weft::node_context& at) {
        at.set(text, std::string(100'000, static_cast<char>('a' + ++*times)));
    };
    const weft::graph long_text =
        weft::graph_builder{"long"}.state(text).node("say", say).chain({weft::start, "say", weft::end}).build();
    weft::memory_store store{test_key()};
    busy_store seen{store};
    weft::durable_engine runs{store, graphs_of(long_text)};
    weft::durable_engine reads{seen, graphs_of(long_text)};
    co_await runs.open();
    co_await reads.open();
    const thread_key key{"t"};
    static_cast<void>(co_await runs.run(in_thread("t")));
    const std::vector<weft::checkpoint_info> before = co_await reads.history(key);
    seen.runs = &runs;
    const weft::thread_snapshot newest = co_await reads.read(key);
    BOOST_TEST(seen.gone > 0);
    BOOST_TEST(newest.info().sequence > before.front().sequence);

    seen.runs = &runs;
    const std::int64_t sequence = newest.info().sequence;
    weft::errc code{};
    try {
        static_cast<void>(co_await reads.read(key, sequence));
    } catch (const weft::error& e) {
        code = e.code();
    }
    BOOST_TEST((code == weft::errc::thread_not_found));
}

WEFT_ASYNC_TEST_CASE(any_checkpoint_can_be_read_and_compared)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    static_cast<void>(co_await durable.run(in_thread("t")));
    const thread_key key{"t"};
    const weft::thread_snapshot first = co_await durable.read(key, 1);
    const weft::thread_snapshot last = co_await durable.read(key);
    BOOST_TEST(first.is_unfinished());
    BOOST_TEST(!last.is_unfinished());
    BOOST_TEST(first.next_nodes() == (std::vector<std::string>{"b"}));
    const weft::snapshot_difference difference = compare(first, last);
    BOOST_TEST(difference.steps.first == 1u);
    BOOST_TEST(difference.steps.second == 3u);
    BOOST_TEST_REQUIRE(difference.keys.size() == 2u);
    BOOST_TEST(difference.keys[0].key == "total");
    BOOST_TEST((*difference.keys[0].before == 1));
    BOOST_TEST((*difference.keys[0].after == 3));
    BOOST_TEST(difference.visits.size() == 2u);
    BOOST_TEST(compare(last, last).is_empty());
}

WEFT_ASYNC_TEST_CASE(P30_a_fork_goes_on_from_its_checkpoint_with_changed_values)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    static_cast<void>(co_await durable.run(in_thread("t")));
    const thread_key from{"t"};
    const thread_key to{"t-2"};
    const weft::thread_snapshot at =
        co_await durable.fork(from, 1, to, weft::state_update{}.overwrite(total, 100).set(other, 7));
    BOOST_TEST((at.info().kind == weft::checkpoint_kind::edit));
    BOOST_TEST(at.state().get(total) == 100);
    const weft::run_result result = co_await durable.run(in_thread("t-2"));
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.state.get(total) == 102);
    BOOST_TEST(result.state.get(other) == 7);
    BOOST_TEST(begun->times == (std::map<std::string, int>{{"a", 1}, {"b", 2}, {"c", 2}}));
    const weft::thread_snapshot original = co_await durable.read(from);
    BOOST_TEST(original.state().get(total) == 3);
}

WEFT_ASYNC_TEST_CASE(a_replay_runs_again_from_a_checkpoint_in_a_thread_of_its_own)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    static_cast<void>(co_await durable.run(in_thread("t")));
    const thread_key from{"t"};
    const weft::run_result result = co_await durable.replay(from, 2, in_thread("again"));
    BOOST_TEST(result.state.get(total) == 3);
    BOOST_TEST(begun->times == (std::map<std::string, int>{{"a", 1}, {"b", 1}, {"c", 2}}));
}

WEFT_ASYNC_TEST_CASE(values_of_an_idle_thread_can_be_changed)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    static_cast<void>(co_await durable.run(in_thread("t")));
    const thread_key key{"t"};
    const weft::thread_snapshot at = co_await durable.edit(key, weft::state_update{}.overwrite(total, 50));
    BOOST_TEST(at.info().sequence == 4);
    const weft::run_result result = co_await durable.run(in_thread("t"));
    BOOST_TEST(result.state.get(total) == 53);
}

WEFT_ASYNC_TEST_CASE(a_thread_goes_back_to_an_older_checkpoint_and_on_from_there)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    static_cast<void>(co_await durable.run(in_thread("t")));
    const thread_key key{"t"};
    const weft::thread_snapshot at = co_await durable.edit(key, weft::state_update{}.overwrite(total, 50), 2);
    BOOST_TEST(at.info().sequence == 4);
    BOOST_TEST(at.is_unfinished());
    const std::optional<weft::run_record> record = co_await store.find_run(at.info().run);
    BOOST_TEST(record.value().metadata == R"({"weft.kind":"edit","weft.from":2})");
    const weft::run_result result = co_await durable.resume(key);
    BOOST_TEST(result.state.get(total) == 51);
    BOOST_TEST(begun->times == (std::map<std::string, int>{{"a", 1}, {"b", 1}, {"c", 2}}));
    const weft::thread_snapshot first = co_await durable.edit(key, weft::state_update{}, 0);
    BOOST_TEST(!first.is_unfinished());
    BOOST_TEST(!first.state().find(total));
}

WEFT_ASYNC_TEST_CASE(a_thread_begins_with_values_and_without_a_run)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    const thread_key key{"t"};
    const weft::thread_snapshot at = co_await durable.begin(key, "chain", weft::state_update{}.set(total, 40));
    BOOST_TEST(at.info().sequence == 1);
    BOOST_TEST(!at.is_unfinished());
    BOOST_TEST(begun->times.empty());
    const weft::run_result result = co_await durable.run(in_thread("t"));
    BOOST_TEST(result.state.get(total) == 43);
    std::exception_ptr again, unknown;
    const thread_key other_key{"u"};
    try {
        static_cast<void>(co_await durable.begin(key, "chain", weft::state_update{}));
    } catch (...) {
        again = std::current_exception();
    }
    try {
        static_cast<void>(co_await durable.begin(other_key, "chains", weft::state_update{}));
    } catch (...) {
        unknown = std::current_exception();
    }
    BOOST_TEST((code_of_read(again) == weft::errc::thread_is_busy));
    BOOST_TEST((code_of_read(unknown) == weft::errc::invalid_configuration));
    const std::optional<weft::run_record> left = co_await store.active_run(other_key);
    BOOST_TEST(!left);
}

WEFT_ASYNC_TEST_CASE(what_is_not_there_is_named)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    static_cast<void>(co_await durable.run(in_thread("t")));
    const thread_key key{"t"};
    const thread_key unknown{"u"};
    std::exception_ptr read_error, fork_error, taken_error;
    try {
        static_cast<void>(co_await durable.read(key, 99));
    } catch (...) {
        read_error = std::current_exception();
    }
    try {
        static_cast<void>(co_await durable.fork(unknown, 1, key));
    } catch (...) {
        fork_error = std::current_exception();
    }
    try {
        static_cast<void>(co_await durable.fork(key, 1, key));
    } catch (...) {
        taken_error = std::current_exception();
    }
    BOOST_TEST((code_of_read(read_error) == weft::errc::thread_not_found));
    BOOST_TEST((code_of_read(fork_error) == weft::errc::thread_not_found));
    BOOST_TEST((code_of_read(taken_error) == weft::errc::thread_is_busy));
}

WEFT_ASYNC_TEST_CASE(P31_a_run_does_not_go_on_with_a_graph_that_misses_its_node)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::node_options pausing;
    pausing.pauses = weft::pause_point::before;
    const thread_key key{"t"};
    {
        weft::durable_engine durable{store, graphs_of(counted_chain(begun, pausing))};
        co_await durable.open();
        const weft::run_result paused = co_await durable.run(in_thread("t"));
        BOOST_TEST((paused.status == run_status::paused));
        co_await durable.close();
    }
    weft::graph_builder changed{"chain"};
    changed.state(value, other, total, words);
    changed.node("a", counts(begun, 1ms)).node("renamed", counts(begun, 1ms));
    changed.edge(weft::start, "a").edge("a", "renamed");
    {
        weft::durable_engine durable{store, graphs_of(changed.build())};
        co_await durable.open();
        const weft::run_result refused = co_await durable.resume(key);
        BOOST_TEST((refused.status == run_status::failed));
        BOOST_TEST((refused.why->code == weft::errc::graph_changed));
        BOOST_TEST(refused.state.find(total) == nullptr);  // F2: it can be read
        BOOST_TEST(refused.state.to_json().empty());
        BOOST_TEST(refused.why->message.find("'b'") != std::string::npos);
        co_await durable.close();
    }
    // The run still waits for a process that has its graph; both revisions may stand side by side.
    auto both = std::make_shared<weft::durable_graphs>();
    both->add(counted_chain(begun, pausing)).add(changed.build());
    weft::durable_engine durable{store, both};
    co_await durable.open();
    const weft::run_result result = co_await durable.resume(key);
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.state.get(total) == 3);
}

WEFT_ASYNC_TEST_CASE(P31_a_migration_takes_a_run_over_to_the_changed_graph)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::node_options pausing;
    pausing.pauses = weft::pause_point::before;
    const weft::graph old_graph = counted_chain(begun, pausing);
    const thread_key key{"t"};
    {
        weft::durable_engine durable{store, graphs_of(old_graph)};
        co_await durable.open();
        static_cast<void>(co_await durable.run(in_thread("t")));
        co_await durable.close();
    }
    weft::graph_builder changed{"chain"};
    changed.state(value, other, total, words);
    changed.node("a", counts(begun, 1ms)).node("renamed", counts(begun, 1ms));
    changed.edge(weft::start, "a").edge("a", "renamed");
    const weft::graph new_graph = changed.build();
    weft::graph_migration moved{graph_fingerprint(old_graph), graph_fingerprint(new_graph)};
    moved.rename_node("b", "renamed").rename_node("c", "renamed");
    weft::graph_migrations by;
    by.add(moved);
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(new_graph, weft::run_options{}, by);
    weft::durable_engine durable{store, graphs};
    co_await durable.open();
    const weft::run_result result = co_await durable.resume(key);
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(begun->times["renamed"] == 1);
}

BOOST_AUTO_TEST_SUITE_END()
