#include <boost/test/unit_test.hpp>

#include <weft/async/sleep.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/store/service/request_key_table.hpp>
#include <weft/testing/simulation.hpp>

BOOST_AUTO_TEST_SUITE(request_key_table_test)

namespace {

using namespace std::chrono_literals;
using weft::request_key_state;

weft::task<void> wait_for(std::chrono::nanoseconds span) { co_await weft::sleep_for(span); }

class key_world {
public:
    request_key_state claim(std::string tenant = "acme")
    {
        return sim.run(keys.claim(std::move(tenant), "key", 1h)).state;
    }
    weft::memory_store store{weft::hash_key{}};
    weft::request_key_table keys{store.service().documents()};
    weft::testing::simulation sim{1};
};

}  // namespace

BOOST_AUTO_TEST_CASE(one_request_of_a_key_is_carried_out)
{
    key_world w;
    BOOST_TEST((w.claim() == request_key_state::fresh));
    BOOST_TEST((w.claim() == request_key_state::running));
    BOOST_TEST((w.claim("other") == request_key_state::fresh));
    w.sim.run(w.keys.settle("acme", "key", R"({"run": 7})", 1h));
    const auto done = w.sim.run(w.keys.claim("acme", "key", 1h));
    BOOST_TEST((done.state == request_key_state::done));
    BOOST_TEST(done.result == R"({"run":7})");
}

BOOST_AUTO_TEST_CASE(a_request_that_was_not_carried_out_gives_its_key_back)
{
    key_world w;
    BOOST_TEST((w.claim() == request_key_state::fresh));
    w.sim.run(w.keys.release("acme", "key"));
    BOOST_TEST((w.claim() == request_key_state::fresh));
}

BOOST_AUTO_TEST_CASE(what_a_process_notes_is_told_to_the_others_and_to_its_heir)
{
    key_world w;
    const auto claim = [&](std::string note) {
        return w.sim.run(w.keys.claim("acme", "key", 1h, std::move(note)));
    };
    const weft::request_key_claim first = claim(R"({"run":1})");
    BOOST_TEST(!first.is_left);
    BOOST_TEST(first.note == R"({"run":1})");
    const weft::request_key_claim second = claim(R"({"run":2})");
    BOOST_TEST((second.state == request_key_state::running));
    BOOST_TEST(second.note == R"({"run":1})");
    w.sim.run(wait_for(2h));
    for (int i = 0; i < 2; ++i, w.sim.run(wait_for(2h))) {
        const weft::request_key_claim heir = claim(R"({"run":3})");
        BOOST_TEST((heir.state == request_key_state::fresh));
        BOOST_TEST(heir.is_left);
        BOOST_TEST(heir.note == R"({"run":1})");
    }
    // What was carried out leaves nothing behind.
    w.sim.run(w.keys.settle("acme", "key", "{}", 1h));
    w.sim.run(wait_for(2h));
    const weft::request_key_claim next = claim(R"({"run":4})");
    BOOST_TEST(!next.is_left);
    BOOST_TEST(next.note == R"({"run":4})");
}

BOOST_AUTO_TEST_CASE(a_result_that_does_not_count_is_replaced_by_one_request)
{
    key_world w;
    BOOST_TEST((w.claim() == request_key_state::fresh));
    w.sim.run(w.keys.settle("acme", "key", R"({"run":1})", 1h));
    const weft::request_key_claim done = w.sim.run(w.keys.claim("acme", "key", 1h));
    BOOST_TEST(w.sim.run(w.keys.retake("acme", "key", done.revision, 1h, R"({"run":2})")));
    BOOST_TEST(!w.sim.run(w.keys.retake("acme", "key", done.revision, 1h, R"({"run":3})")));
    const weft::request_key_claim running = w.sim.run(w.keys.claim("acme", "key", 1h));
    BOOST_TEST((running.state == request_key_state::running));
    BOOST_TEST(running.note == R"({"run":2})");
}

BOOST_AUTO_TEST_CASE(a_key_ends_with_its_lifetime)
{
    key_world w;
    BOOST_TEST((w.claim() == request_key_state::fresh));
    w.sim.run(wait_for(2h));
    BOOST_TEST((w.claim() == request_key_state::fresh));
    BOOST_TEST((w.claim() == request_key_state::running));
    BOOST_TEST(w.sim.run(w.keys.sweep(10)) == 0u);
    w.sim.run(wait_for(2h));
    BOOST_TEST(w.sim.run(w.keys.sweep(10)) == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
