#include <weft/testing/async_test_case.hpp>

#include "durable_cases.hpp"

#include <weft/async/task/yield_now.hpp>
#include <weft/base/list.hpp>
#include <weft/store/role/forwarding_store.hpp>

#include <string>
#include <utility>

using namespace weft_tests;
using weft::thread_key;

BOOST_AUTO_TEST_SUITE(durable_ahead_test)

namespace {

constexpr weft::state_key<weft::list<std::string>> lines{"lines"};

/** Says something, and waits before its last node. */
weft::graph paused_graph()
{
    weft::node_options of_last;
    of_last.pauses = weft::pause_point::before;
    const auto say = [](weft::node_context& at) {
        weft::list<std::string> all = at.value_or(lines, weft::list<std::string>{});
        all.push_back(std::to_string(all.size()) + std::string(100, '.'));
        at.set(lines, std::move(all));
    };
    weft::graph_builder builder{"talk"};
    builder.state(lines).node("say", say).node("end", [](weft::node_context&) {}, std::move(of_last));
    return builder.edge(weft::start, "say").edge("say", "end").build();
}

/** A claim takes long, so that what is read beside it can be seen. */
class slow_claims final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;

    bool gives_older = false;  ///< The thread goes on between a look at its newest checkpoint and the claim.
    bool refuses_to_read = false;
    int loads_while_claiming = 0;
    int loads = 0;

    weft::task<std::optional<weft::run_claim>> resume(weft::worker_id worker, weft::run_id run) override
    {
        is_claiming_ = true;
        for (int i = 0; i < 100; ++i) co_await weft::yield_now();
        std::optional<weft::run_claim> claim = co_await inner().resume(worker, run);
        is_claiming_ = false;
        co_return claim;
    }
    weft::task<std::optional<weft::checkpoint>> load(thread_key thread, std::optional<std::int64_t> sequence) override
    {
        ++loads;
        if (is_claiming_) {
            ++loads_while_claiming;
            if (refuses_to_read) throw weft::error{weft::errc::store_corrupt, "test", "it is not to be read now"};
            if (gives_older) sequence = 1;
        }
        std::optional<weft::checkpoint> found = co_await inner().load(std::move(thread), sequence);
        co_return found;
    }

private:
    bool is_claiming_ = false;
};

weft::task<weft::run_result> pause_and_resume(slow_claims& store)
{
    weft::durable_engine first{store, graphs_of(paused_graph())};
    co_await first.open();
    const weft::run_result paused = co_await first.run(in_thread("t"));
    BOOST_TEST((paused.status == weft::run_status::paused));
    co_await first.close();
    weft::durable_engine second{store, graphs_of(paused_graph())};
    co_await second.open();
    store.loads = 0;
    thread_key thread{"t"};
    weft::run_result result = co_await second.resume(std::move(thread));
    co_await second.close();
    co_return result;
}

}  // namespace

WEFT_ASYNC_TEST_CASE(a_thread_is_read_while_its_run_is_claimed)
{
    weft::memory_store real{test_key()};
    slow_claims store{real};
    const weft::run_result result = co_await pause_and_resume(store);
    BOOST_TEST(result.ok());
    BOOST_TEST(result.state.get(lines).size() == 1u);
    BOOST_TEST(store.loads_while_claiming == 1);
    BOOST_TEST(store.loads == 1);
}

WEFT_ASYNC_TEST_CASE(a_thread_that_went_on_while_its_run_was_claimed_is_read_again)
{
    weft::memory_store real{test_key()};
    slow_claims store{real};
    store.gives_older = true;
    const weft::run_result result = co_await pause_and_resume(store);
    BOOST_TEST(result.ok());
    BOOST_TEST(result.state.get(lines).size() == 1u);
    BOOST_TEST(store.loads_while_claiming == 1);
    BOOST_TEST(store.loads == 2);
}

WEFT_ASYNC_TEST_CASE(what_cannot_be_read_beside_a_claim_is_read_behind_it)
{
    weft::memory_store real{test_key()};
    slow_claims store{real};
    store.refuses_to_read = true;
    const weft::run_result result = co_await pause_and_resume(store);
    BOOST_TEST(result.ok());
    BOOST_TEST(store.loads == 2);
}

BOOST_AUTO_TEST_SUITE_END()
