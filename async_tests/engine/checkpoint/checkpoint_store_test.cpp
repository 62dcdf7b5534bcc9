#include <boost/test/unit_test.hpp>

#include "checkpoints.hpp"
#include "engine/scheduler/scheduler_script.hpp"
#include "graph/node/graph_keys.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/base/list.hpp>
#include <weft/store/memory_store.hpp>

#include <boost/json/serialize.hpp>

using namespace weft_tests;
using weft::state_update;

BOOST_AUTO_TEST_SUITE(checkpoint_store_test)

namespace {

constexpr weft::state_key<weft::list<std::string>, weft::append> lines{"lines"};

weft::graph looping()
{
    weft::graph_builder builder = plain_graph("abcj", "^a ab ac bj cj");
    builder.state(lines).edge_when("j", "a", [](const weft::state_view&) { return true; });
    return builder.build();
}

/** Writes a run of 150 rounds of a fan-out, each step a checkpoint; returns the thread's frontier at its end. */
weft::task<weft::frontier> store_a_run(weft::checkpoint_store* store, weft::thread_key thread, weft::graph of)
{
    const weft::worker_id worker = co_await store->enter("worker", std::chrono::milliseconds{60'000});
    weft::new_run made{thread, weft::run_id{weft::unique_id{{1}}}};
    made.started_by(worker);
    const weft::run_admission admitted = co_await store->enqueue(made);
    weft::write_fence fence = admitted.claim->fence;
    weft::checkpoint_writer writer{of, store->key()};
    scheduler_script run{of};
    run.begin();
    for (int i = 0; i < 600; ++i) {
        const std::string node{run.running().front()};
        run.ok(node, state_update{}.set(lines, node + std::to_string(i) + std::string(100, '.')).set(total, 1));
        weft::checkpoint_draft draft = writer.write(run.trail());
        draft.id = weft::checkpoint_id{weft::unique_id{{static_cast<std::uint8_t>(i >> 8),
                                                        static_cast<std::uint8_t>(i), 1}}};
        const weft::commit_result done = co_await store->commit(fence, std::move(draft));
        if (done.state != weft::write_state::ok) throw std::logic_error{"a commit was refused"};
        fence.head = done.head;
        writer.written();
    }
    weft::frontier where{run.trail()};
    co_return where;
}

weft::task<void> read_it_again(weft::checkpoint_store* store)
{
    const weft::thread_key thread{"t"};
    const weft::graph of = looping();
    const weft::frontier where = co_await store_a_run(store, thread, of);
    const std::optional<weft::checkpoint> head = co_await store->load(thread, std::nullopt);
    const weft::frontier read = co_await weft::read_frontier(*store, thread, *head, of);
    BOOST_TEST(weft::first_difference(where, read, of) == "");
    BOOST_TEST(head->step == where.steps);
    BOOST_TEST(head->graph_hash == weft::graph_fingerprint(of));
    const boost::json::object state = co_await weft::read_state(*store, thread, *head);
    BOOST_TEST((state == where.root->root().to_json()), boost::json::serialize(state));
    const auto none = std::shared_ptr<const weft::graph_migrations>{};
    const auto changes = co_await weft::read_graph_changes(*store, thread, *head, of, none);
    BOOST_TEST(changes.empty());
    for (const std::int64_t sequence : {1, 7, 16, 299, 600}) {
        const std::optional<weft::checkpoint> older = co_await store->load(thread, sequence);
        const weft::frontier then = co_await weft::read_frontier(*store, thread, *older, of);
        BOOST_TEST(then.steps <= where.steps);
    }
    const weft::retention last{.keep_last = 1};
    (void)co_await store->prune(thread, last);
    const weft::frontier kept = co_await weft::read_frontier(*store, thread, *head, of);
    BOOST_TEST(weft::first_difference(where, kept, of) == "");
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_that_a_store_has_is_read_at_any_step_and_after_pruning)
{
    weft::memory_store store;
    weft::run_blocking(read_it_again(&store));
}

BOOST_AUTO_TEST_SUITE_END()
