#include <boost/test/unit_test.hpp>

#include "serve/schedule/store_sweeper.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/store/memory_items.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/store/service/request_key_table.hpp>
#include <weft/store/service/thread_lifetime_table.hpp>
#include <weft/testing/simulation.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(store_sweeper_test)

using namespace std::chrono_literals;
using weft::serve_detail::store_sweeper;
using weft::serve_detail::thread_sweeper;

namespace {

weft::task<void> fill(weft::request_key_table& keys, weft::memory_items& items)
{
    for (int i = 0; i < 1'200; ++i) {
        const std::string name = std::to_string(i);
        static_cast<void>(co_await keys.claim("acme", name, i < 1'100 ? 10s : 24h));
        const weft::item_key key{{"a"}, name};
        boost::json::value value(i);
        const auto lifetime = i < 1'100 ? std::optional<std::chrono::milliseconds>{10s} : std::nullopt;
        co_await items.put("acme", key, std::move(value), lifetime);
    }
}

weft::task<std::size_t> rows_of_keys(weft::document_store& documents, std::string kind)
{
    weft::document_query query;
    query.kind = std::move(kind);
    const std::size_t count = co_await documents.count(std::move(query));
    co_return count;
}

weft::task<void> sweep_for(store_sweeper& sweeper, std::chrono::nanoseconds span)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope working{context, weft::failure_policy::keep_going};
    working.spawn(sweeper.work());
    co_await weft::sleep_for(span);
    working.request_stop();
    co_await working.join();
}

inline constexpr weft::state_key<int> swept_count{"count"};

weft::graph counting()
{
    return weft::graph_builder{"counting"}.state(swept_count).node("n", [] {}).edge(weft::start, "n").build();
}

/** A thread with two checkpoints. */
weft::task<void> add_thread(weft::memory_store& store, weft::durable_engine& engine, std::string id,
                            std::optional<std::chrono::minutes> lifetime, weft::thread_end at_end)
{
    const weft::thread_key key{id, "acme"};
    (void)co_await engine.begin(key, "counting", weft::state_update{}.set(swept_count, 1));
    (void)co_await engine.edit(key, weft::state_update{}.set(swept_count, 2));
    const std::optional<weft::stored_thread> made = co_await store.service().threads().find(key);
    weft::thread_lifetime_table lifetimes{store.service().documents()};
    if (lifetime) co_await lifetimes.set(made.value(), *lifetime, at_end);
}

/** How many checkpoints each has; nothing for a thread that is gone. */
weft::task<std::string> sizes_of(weft::durable_engine& engine)
{
    std::string sizes;
    for (const char* const id : {"goes", "shrinks", "stays", "later"}) {
        const weft::thread_key key{id, "acme"};
        const std::vector<weft::checkpoint_info> past = co_await engine.history(key);
        sizes.append(id).append(" ").append(std::to_string(past.size())).append("; ");
    }
    co_return sizes;
}

weft::task<void> fill_threads(weft::memory_store& store, weft::durable_engine& engine)
{
    co_await engine.open();
    using end = weft::thread_end;
    co_await add_thread(store, engine, "goes", 1min, end::erase);
    co_await add_thread(store, engine, "shrinks", 1min, end::keep_newest);
    co_await add_thread(store, engine, "stays", std::nullopt, end::erase);
    co_await add_thread(store, engine, "later", 1min, end::erase);
    // Its time is over, and it is given more.
    co_await weft::sleep_for(90s);
    const weft::thread_key key{"later", "acme"};
    const std::optional<weft::stored_thread> later = co_await store.service().threads().find(key);
    weft::thread_lifetime_table lifetimes{store.service().documents()};
    co_await lifetimes.set(later.value(), 60min, end::erase);
}

[[noreturn]] void break_down()
{
    throw weft::error{weft::errc::store_unavailable, "items", "the disk is gone"};
}

class broken_items final : public weft::item_store {
public:
    weft::task<void> put(std::string, weft::item_key, boost::json::value,
                         std::optional<std::chrono::milliseconds>) override
    {
        break_down();
    }
    weft::task<std::optional<weft::stored_item>> get(std::string, weft::item_key) override { break_down(); }
    weft::task<bool> erase(std::string, weft::item_key) override { break_down(); }
    weft::task<std::vector<weft::stored_item>> list(std::string, std::vector<std::string>,
                                                    std::optional<weft::item_key>, std::size_t) override
    {
        break_down();
    }
    weft::task<std::size_t> sweep(std::size_t) override { break_down(); }
};

}  // namespace

BOOST_AUTO_TEST_CASE(what_has_ended_is_removed_within_two_minutes_and_the_rest_stays)
{
    weft::testing::simulation sim{1};
    weft::memory_store store{weft::hash_key{}};
    weft::memory_items items;
    weft::request_key_table keys{store.service().documents()};
    sim.run(fill(keys, items));
    std::vector<std::string> problems;
    weft::durable_engine engine{store, std::make_shared<weft::durable_graphs>()};
    store_sweeper sweeper{store.service().documents(), &items,
                          thread_sweeper{store.service(), store, engine},
                          [&](std::string_view what) { problems.emplace_back(what); }};
    BOOST_TEST(sim.run(rows_of_keys(store.service().documents(), "request_key")) == 1'200u);
    sim.run(sweep_for(sweeper, 120s));
    BOOST_TEST(sim.run(rows_of_keys(store.service().documents(), "request_key")) == 100u);
    BOOST_TEST(sim.run(items.sweep(10)) == 0u);
    BOOST_TEST(sim.run(items.list("acme", {"a"}, std::nullopt, 1'000)).size() == 100u);
    BOOST_TEST(problems.empty());
}

BOOST_AUTO_TEST_CASE(threads_end_with_their_time)
{
    weft::testing::simulation sim{1};
    weft::memory_store store{weft::hash_key{}};
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(counting());
    weft::durable_engine engine{store, graphs};
    std::vector<std::string> problems;
    store_sweeper sweeper{store.service().documents(), nullptr, thread_sweeper{store.service(), store, engine},
                          [&](std::string_view what) { problems.emplace_back(what); }};
    sim.run(fill_threads(store, engine));
    BOOST_TEST(sim.run(sizes_of(engine)) == "goes 2; shrinks 2; stays 2; later 2; ");
    sim.run(sweep_for(sweeper, 120s));
    BOOST_TEST(sim.run(sizes_of(engine)) == "goes 0; shrinks 1; stays 2; later 2; ");
    BOOST_TEST(sim.run(rows_of_keys(store.service().documents(), "thread_lifetime")) == 1u);
    sim.run(sweep_for(sweeper, 3700s));
    BOOST_TEST(sim.run(sizes_of(engine)) == "goes 0; shrinks 1; stays 2; later 0; ");
    BOOST_TEST(sim.run(rows_of_keys(store.service().documents(), "thread_lifetime")) == 0u);
    BOOST_TEST(problems.empty());
    sim.run(engine.close());
}

BOOST_AUTO_TEST_CASE(a_store_that_fails_is_told_of_and_swept_again)
{
    weft::testing::simulation sim{1};
    weft::memory_store store{weft::hash_key{}};
    broken_items items;
    std::vector<std::string> problems;
    weft::durable_engine engine{store, std::make_shared<weft::durable_graphs>()};
    store_sweeper sweeper{store.service().documents(), &items,
                          thread_sweeper{store.service(), store, engine},
                          [&](std::string_view what) { problems.emplace_back(what); }};
    sim.run(sweep_for(sweeper, 200s));
    BOOST_TEST((problems.size() >= 2u && problems.size() <= 4u));
    BOOST_TEST(problems.front().find("the disk is gone") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
