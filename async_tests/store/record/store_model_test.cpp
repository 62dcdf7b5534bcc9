#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/store/record/store_model.hpp>

#include "store/record/limit_checks.hpp"

#include <chrono>

BOOST_AUTO_TEST_SUITE(store_model_test)

namespace {

using namespace std::chrono_literals;
using weft::store_model;
using weft::store_moment;
using weft::thread_key;
using weft::write_state;

struct fixture {
    store_moment at{weft::time_point{1h}, weft::wall_time{24h}};
    weft::random_source random{1};
    weft::id_source ids{weft::real_clock(), random};
    store_model model{weft::hash_key{}};

    weft::write_fence hold(const char* thread, weft::worker_id worker)
    {
        weft::new_run run{thread_key{thread}, ids.next<weft::run_id>()};
        run.started_by(worker);
        return model.enqueue(run, at).claim->fence;
    }
    weft::checkpoint_draft draft(std::string body)
    {
        weft::checkpoint_draft made;
        made.id = ids.next<weft::checkpoint_id>();
        made.body = std::move(body);
        return made;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_copy_goes_its_own_way, fixture)
{
    const weft::write_fence fence = hold("t", model.enter("a", 1h, at));
    store_model copy = model;
    BOOST_TEST((model.commit(fence, draft("one"), at).state == write_state::ok));
    BOOST_TEST(!copy.load(thread_key{"t"}, std::nullopt).has_value());
    BOOST_TEST((copy.commit(fence, draft("another"), at).state == write_state::ok));
    BOOST_TEST(copy.load(thread_key{"t"}, 1)->body == "another");
    BOOST_TEST(model.load(thread_key{"t"}, 1)->body == "one");
}

BOOST_FIXTURE_TEST_CASE(a_worker_lives_until_it_is_reaped_and_no_longer, fixture)
{
    const weft::worker_id worker = model.enter("a", 10s, at);
    const weft::write_fence fence = hold("t", worker);
    at.now += 10s;
    BOOST_TEST(model.claim(worker, 1, at).empty());
    BOOST_TEST((model.commit(fence, draft("late, but nobody minds"), at).state == write_state::ok));
    BOOST_TEST(model.heartbeat(worker, 10s, at).is_alive);
    BOOST_TEST(model.reap(10, at) == 0U);
    at.now += 10s;
    BOOST_TEST(model.reap(10, at) == 1U);
    BOOST_TEST(!model.heartbeat(worker, 10s, at).is_alive);
}

BOOST_FIXTURE_TEST_CASE(all_writes_of_a_worker_are_fenced_when_the_first_of_its_runs_is_reaped, fixture)
{
    const weft::worker_id worker = model.enter("a", 10s, at);
    const weft::write_fence first = hold("t", worker);
    const weft::write_fence second = hold("u", worker);
    at.now += 10s;
    BOOST_TEST(model.reap(1, at) == 1U);
    BOOST_TEST((model.commit(first, draft("x"), at).state == write_state::fenced));
    BOOST_TEST((model.commit(second, draft("x"), at).state == write_state::fenced));
    BOOST_TEST(!model.heartbeat(worker, 10s, at).is_alive);
    BOOST_TEST(model.reap(1, at) == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_run_that_should_cancel_is_not_left_ready, fixture)
{
    const weft::worker_id worker = model.enter("a", 10s, at);
    const weft::write_fence yielded = hold("t", worker);
    const weft::write_fence reaped = hold("u", worker);
    model.signal(thread_key{"t"}, weft::run_signal::cancel, at);
    model.signal(thread_key{"u"}, weft::run_signal::cancel, at);
    BOOST_TEST((model.yield(yielded, at) == write_state::ok));
    BOOST_TEST((model.find_run(yielded.run)->phase == weft::run_phase::cancelled));
    at.now += 10s;
    BOOST_TEST(model.reap(10, at) == 1U);
    BOOST_TEST((model.find_run(reaped.run)->phase == weft::run_phase::cancelled));
}

BOOST_FIXTURE_TEST_CASE(what_throws_changes_nothing, fixture)
{
    const weft::write_fence fence = hold("t", model.enter("a", 1h, at));
    weft::checkpoint_draft large = draft(std::string(weft::store_limits::text_bytes_max + 1, 'x'));
    large.settled = {"a"};
    const weft::effect_record effect{"a", weft::effect_phase::done, "", "{}"};
    BOOST_TEST((model.record(fence, effect, at) == write_state::ok));
    BOOST_CHECK_EXCEPTION(static_cast<void>(model.commit(fence, large, at)), weft::error, [](const weft::error& e) {
        return e.code() == weft::errc::limit_reached && e.where() == "body" && e.detail().starts_with("8388609 bytes");
    });
    BOOST_TEST(model.effects(thread_key{"t"}).size() == 1U);
    BOOST_TEST(model.usage(thread_key{"t"}).checkpoints == 0U);
}

BOOST_FIXTURE_TEST_CASE(threads_fork_within_their_tenant, fixture)
{
    const weft::write_fence fence = hold("t", model.enter("a", 1h, at));
    BOOST_TEST((model.commit(fence, draft("one"), at).state == write_state::ok));
    const auto id = ids.next<weft::checkpoint_id>();
    BOOST_CHECK_EXCEPTION(static_cast<void>(model.fork(thread_key{"t"}, 1, thread_key{"u", "another"}, id, at)),
                          weft::error, [](const weft::error& e) { return e.code() == weft::errc::store_refused; });
}

BOOST_AUTO_TEST_SUITE_END()
