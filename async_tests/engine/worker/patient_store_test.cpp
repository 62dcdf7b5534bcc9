#include <weft/testing/async_test_case.hpp>

#include "engine/worker/change_signal.hpp"
#include "engine/worker/patient_store.hpp"
#include "engine/worker/worker_lease.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/store/role/forwarding_store.hpp>

#include <optional>

using namespace std::chrono_literals;
using weft::errc;

BOOST_AUTO_TEST_SUITE(patient_store_test)

namespace {

/** Fails so many looks for the active run of a thread. */
class failing_store final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;

    weft::task<std::optional<weft::run_record>> active_run(weft::thread_key thread) override
    {
        ++looks;
        if (looks <= failures) throw weft::error{why, "test", "it fails"};
        co_return co_await inner().active_run(std::move(thread));
    }

    int failures = 0;
    int looks = 0;
    errc why = errc::store_unavailable;
};

weft::task<errc> look(const weft::patient_store& store)
{
    errc code{};
    try {
        static_cast<void>(co_await store.active_run(weft::thread_key{"t"}));
    } catch (const weft::error& wrong) {
        code = wrong.code();
    }
    co_return code;
}

}  // namespace

WEFT_ASYNC_TEST_CASE(a_store_that_does_not_answer_is_asked_again_with_growing_delays)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::memory_store inner{weft::hash_key{}};
    failing_store store{inner};
    const weft::durable_options options;
    weft::change_signal changes;
    weft::worker_lease lease{store, options, changes};
    lease.open(loop);
    co_await lease.enter();
    const weft::patient_store patient{store, lease};
    store.failures = 3;
    const weft::time_point begin = loop.now();
    const errc code = co_await look(patient);
    BOOST_TEST((code == errc{}));
    BOOST_TEST(store.looks == 4);
    BOOST_TEST((loop.now() - begin >= 350ms));
}

WEFT_ASYNC_TEST_CASE(patience_ends_with_the_lease_and_with_errors_that_another_try_would_not_change)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::memory_store inner{weft::hash_key{}};
    failing_store store{inner};
    const weft::durable_options options;
    weft::change_signal changes;
    weft::worker_lease lease{store, options, changes};
    lease.open(loop);
    co_await lease.enter();
    const weft::patient_store patient{store, lease};
    store.failures = 1'000'000;
    errc code = co_await look(patient);  // until the lease, which no heartbeat renews, is over
    BOOST_TEST((code == errc::store_unavailable));
    BOOST_TEST(store.looks > 5);
    BOOST_TEST(!lease.is_alive());
    co_await lease.enter();
    store.looks = 0;
    store.why = errc::store_refused;
    code = co_await look(patient);
    BOOST_TEST((code == errc::store_refused));
    BOOST_TEST(store.looks == 1);
}

BOOST_AUTO_TEST_SUITE_END()
