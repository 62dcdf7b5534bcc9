#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/store/checkpoint_store.hpp>
#include <weft/store/thread/fallback_thread_state_store.hpp>
#include <weft/store/thread/memory_thread_state_store.hpp>
#include <weft/testing/async_test_case.hpp>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <optional>

BOOST_AUTO_TEST_SUITE(thread_state_store_test)

using namespace std::chrono_literals;
using boost::json::value;
using weft::errc;
using weft::error;
using weft::memory_thread_lock;
using weft::memory_thread_state_store;
using weft::task;
using weft::thread_hold;
using weft::thread_key;
using weft::write_state;

namespace {

/** A store that can be away, over one that never is. */
class leaving_store final : public weft::thread_state_store {
public:
    task<write_state> save(thread_hold by, value state) override
    {
        refuse_if_away();
        co_return co_await inner_.save(std::move(by), std::move(state));
    }
    task<std::optional<value>> load(thread_key thread) override
    {
        refuse_if_away();
        co_return co_await inner_.load(std::move(thread));
    }
    task<write_state> erase(thread_hold by) override
    {
        refuse_if_away();
        co_return co_await inner_.erase(std::move(by));
    }
    std::chrono::milliseconds lifetime() const noexcept override { return inner_.lifetime(); }

    bool is_away = false;

private:
    void refuse_if_away() const
    {
        if (is_away) throw error{errc::store_unavailable, "test", "away"};
    }
    memory_thread_state_store inner_;
};

value sample() { return boost::json::parse(R"({"messages": ["hello", {"deep": [1, 2.5, null, true]}], "turn": 7})"); }

template <class T>
task<errc> code_of(task<T> work)
{
    try {
        co_await std::move(work);
    } catch (const error& e) {
        co_return e.code();
    }
    co_return errc{};
}

}  // namespace

WEFT_ASYNC_TEST_CASE(SUL_12_a_state_is_kept_for_an_hour_and_then_gone)
{
    memory_thread_state_store store;
    BOOST_TEST((store.lifetime() == 3600s));
    const thread_key thread{"t-1"};
    const write_state saved = co_await store.save(thread, sample());
    BOOST_TEST((saved == write_state::ok));
    co_await weft::sleep_for(3599s);
    const std::optional<value> before = co_await store.load(thread);
    BOOST_REQUIRE(before);
    BOOST_TEST((*before == sample()));
    co_await weft::sleep_for(2s);
    const std::optional<value> after = co_await store.load(thread);
    BOOST_TEST(!after);
}

WEFT_ASYNC_TEST_CASE(SUL_12_a_save_begins_the_hour_anew)
{
    memory_thread_state_store store;
    const thread_key thread{"t-1"};
    co_await store.save(thread, sample());
    co_await weft::sleep_for(3000s);
    const value second = 2;
    co_await store.save(thread, second);
    co_await weft::sleep_for(3000s);
    const std::optional<value> found = co_await store.load(thread);
    BOOST_REQUIRE(found);
    BOOST_TEST((*found == value(2)));
}

WEFT_ASYNC_TEST_CASE(SUL_12_what_is_saved_and_loaded_are_copies)
{
    memory_thread_state_store store;
    const thread_key thread{"t-1"};
    value mine = sample();
    co_await store.save(thread, mine);
    mine.as_object()["turn"] = 8;
    std::optional<value> first = co_await store.load(thread);
    BOOST_REQUIRE(first);
    BOOST_TEST((*first == sample()));
    first->as_object()["messages"].as_array().clear();
    const std::optional<value> second = co_await store.load(thread);
    BOOST_REQUIRE(second);
    BOOST_TEST((*second == sample()));
}

WEFT_ASYNC_TEST_CASE(SUL_12_a_copy_needs_nothing_of_the_memory_that_the_state_lived_in)
{
    memory_thread_state_store store;
    const thread_key thread{"t-1"};
    {
        boost::json::monotonic_resource pool;
        value pooled = boost::json::parse(boost::json::serialize(sample()), &pool);
        co_await store.save(thread, std::move(pooled));
    }
    const std::optional<value> found = co_await store.load(thread);
    BOOST_REQUIRE(found);
    BOOST_TEST((*found == sample()));
    BOOST_TEST(found->storage().get() == boost::json::storage_ptr{}.get());
}

WEFT_ASYNC_TEST_CASE(threads_and_tenants_do_not_meet_and_an_erased_state_is_gone)
{
    memory_thread_state_store store;
    const thread_key mine{"t-1", "acme"};
    const thread_key theirs{"t-1", "other"};
    co_await store.save(mine, sample());
    const std::optional<value> foreign = co_await store.load(theirs);
    BOOST_TEST(!foreign);
    co_await store.erase(theirs);
    const std::optional<value> still = co_await store.load(mine);
    BOOST_TEST(still.has_value());
    co_await store.erase(mine);
    const std::optional<value> gone = co_await store.load(mine);
    BOOST_TEST(!gone);
}

WEFT_ASYNC_TEST_CASE(the_number_of_threads_and_their_names_are_bounded)
{
    memory_thread_state_store store{1h, nullptr, 2};
    for (const char* name : {"a", "b", "a"}) {
        const thread_key thread{name};
        co_await store.save(thread, sample());
    }
    const thread_key third{"c"};
    const errc full = co_await code_of(store.save(third, sample()));
    BOOST_TEST((full == errc::limit_reached));
    co_await weft::sleep_for(2h);
    const errc later = co_await code_of(store.save(third, sample()));
    BOOST_TEST((later == errc{}));
    const thread_key endless{std::string(weft::store_limits::name_bytes_max + 1, 'x')};
    const errc refused = co_await code_of(store.save(endless, sample()));
    BOOST_TEST((refused == errc::limit_reached));
}

WEFT_ASYNC_TEST_CASE(SUL_13_who_lost_the_thread_without_noticing_writes_nothing)
{
    const auto lock = std::make_shared<memory_thread_lock>();
    memory_thread_state_store store{1h, lock};
    const thread_key thread{"t-1"};
    const std::optional<thread_hold> sleeper = co_await lock->acquire(thread);
    BOOST_REQUIRE(sleeper);
    const value first = 1;
    const write_state early = co_await store.save(*sleeper, first);
    BOOST_TEST((early == write_state::ok));
    co_await weft::sleep_for(31s);
    const std::optional<thread_hold> next = co_await lock->acquire(thread);
    BOOST_REQUIRE(next);
    const value late = 99;
    const write_state zombie = co_await store.save(*sleeper, late);
    BOOST_TEST((zombie == write_state::fenced));
    const write_state erased = co_await store.erase(*sleeper);
    BOOST_TEST((erased == write_state::fenced));
    const write_state unlocked = co_await store.save(thread, late);
    BOOST_TEST((unlocked == write_state::fenced));
    const value second = 2;
    const write_state holder = co_await store.save(*next, second);
    BOOST_TEST((holder == write_state::ok));
    const std::optional<value> found = co_await store.load(thread);
    BOOST_REQUIRE(found);
    BOOST_TEST((*found == value(2)));
    co_await lock->release(*next);
    const write_state free = co_await store.save(thread, late);
    BOOST_TEST((free == write_state::ok));
}

WEFT_ASYNC_TEST_CASE(SUL_12_while_a_store_is_away_this_process_goes_on_and_hands_over_later)
{
    const auto primary = std::make_shared<leaving_store>();
    weft::fallback_thread_state_store store{primary};
    const thread_key thread{"t-1"};
    const value first = 1;
    co_await store.save(thread, first);
    primary->is_away = true;
    const value second = 2;
    const write_state kept = co_await store.save(thread, second);
    BOOST_TEST((kept == write_state::ok));
    std::optional<value> found = co_await store.load(thread);
    BOOST_REQUIRE(found);
    BOOST_TEST((*found == value(2)));
    BOOST_TEST(store.done_here() == 2u);
    primary->is_away = false;
    found = co_await store.load(thread);
    BOOST_REQUIRE(found);
    BOOST_TEST((*found == value(2)));
    found = co_await primary->load(thread);
    BOOST_REQUIRE(found);
    BOOST_TEST((*found == value(2)));
    // Handed over, it is not kept here as well.
    const value third = 3;
    co_await primary->save(thread, third);
    found = co_await store.load(thread);
    BOOST_REQUIRE(found);
    BOOST_TEST((*found == value(3)));
}

WEFT_ASYNC_TEST_CASE(writes_of_a_holder_and_erasures_are_not_kept_aside)
{
    const auto primary = std::make_shared<leaving_store>();
    weft::fallback_thread_state_store store{primary};
    memory_thread_lock lock;
    const thread_key thread{"t-1"};
    const std::optional<thread_hold> hold = co_await lock.acquire(thread);
    primary->is_away = true;
    const errc saved = co_await code_of(store.save(*hold, sample()));
    BOOST_TEST((saved == errc::store_unavailable));
    const errc erased = co_await code_of(store.erase(thread));
    BOOST_TEST((erased == errc::store_unavailable));
    const std::optional<value> found = co_await store.load(thread);
    BOOST_TEST(!found);
}

BOOST_AUTO_TEST_SUITE_END()
