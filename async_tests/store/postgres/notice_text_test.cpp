#ifdef WEFT_HAS_POSTGRES

#include "store/postgres/wire/notice_queue.hpp"
#include "store/postgres/wire/notice_text.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <thread>

BOOST_AUTO_TEST_SUITE(notice_text_test)

using weft::store_notice;
using namespace weft::postgres_detail;
using kind = store_notice::kind;

constexpr const char* origin = "00112233445566ff";

BOOST_AUTO_TEST_CASE(notices_come_back_as_they_were)
{
    const std::vector<store_notice> notices{
        {kind::run, 1}, {kind::answer, 0xfedcba9876543210}, {kind::signal, 0}, {kind::anything, 0}};
    const std::string payload = write_notices(origin, notices);
    BOOST_TEST(payload ==
               "1 00112233445566ff r0000000000000001 afedcba9876543210 s0000000000000000 x0000000000000000");
    const auto batch = read_notices(payload);
    BOOST_TEST_REQUIRE(batch.has_value());
    BOOST_TEST(batch->origin == origin);
    BOOST_TEST((batch->notices == notices));
    const auto echo = read_notices(write_notices(origin, {}));
    BOOST_TEST((echo && echo->notices.empty()));
}

BOOST_AUTO_TEST_CASE(what_is_no_payload_is_passed_over)
{
    for (const char* text : {"", "1", "1 ", "2 00112233445566ff", "1 00112233445566fg", "1 00112233445566ff r",
                             "1 00112233445566ff r00000000000000zz", "1 00112233445566ff,r0000000000000001",
                             "1 00112233445566ff r0000000000000001 "})
        BOOST_TEST(!read_notices(text).has_value(), text);
    const auto later = read_notices("1 00112233445566ff q0000000000000001");
    BOOST_TEST_REQUIRE(later.has_value());
    BOOST_TEST((later->notices == std::vector<store_notice>{{kind::anything, 1}}));
}

BOOST_AUTO_TEST_CASE(a_payload_is_as_short_as_the_server_wants_it)
{
    const std::vector<store_notice> most(notices_a_payload, store_notice{kind::run, 1});
    BOOST_TEST(write_notices(origin, most).size() < 8'000u);
}

BOOST_AUTO_TEST_CASE(a_notice_that_waits_already_is_not_sent_twice)
{
    notice_queue queue{origin};
    queue.push({kind::run, 1});
    queue.push({kind::run, 2});
    queue.push({kind::run, 1});
    const std::vector<std::string> payloads = queue.take();
    BOOST_TEST_REQUIRE(payloads.size() == 1u);
    BOOST_TEST((read_notices(payloads[0])->notices == std::vector<store_notice>{{kind::run, 1}, {kind::run, 2}}));
    BOOST_TEST(queue.take().empty());
    queue.push_echo();
    BOOST_TEST(queue.take().size() == 1u);
}

BOOST_AUTO_TEST_CASE(more_notices_than_are_kept_become_one)
{
    notice_queue queue{origin};
    for (std::uint64_t i = 1; i <= 1'600; ++i) queue.push({kind::run, i});
    BOOST_TEST(queue.take().size() == 4u);
    for (std::uint64_t i = 1; i <= 1'601; ++i) queue.push({kind::run, i});
    queue.push({kind::run, 1'602});
    const std::vector<std::string> payloads = queue.take();
    BOOST_TEST_REQUIRE(payloads.size() == 1u);
    BOOST_TEST((read_notices(payloads[0])->notices == std::vector<store_notice>{store_notice{}}));
}

BOOST_AUTO_TEST_CASE(notices_pass_the_queue_by_if_none_waits_and_none_went_out_just_now)
{
    notice_queue queue{origin};
    const store_notice entry{kind::run, 1};
    const weft::time_point now = weft::real_clock().now();
    BOOST_TEST((read_notices(queue.pass_by(entry, now))->notices == std::vector<store_notice>{entry}));
    BOOST_TEST(queue.pass_by(entry, now + notice_queue::send_pause - std::chrono::nanoseconds{1}).empty());
    BOOST_TEST(!queue.pass_by(entry, now + notice_queue::send_pause).empty());
    queue.push({kind::run, 2});
    const weft::time_point later = now + 3 * notice_queue::send_pause;
    BOOST_TEST(queue.pass_by(entry, later).empty());
    BOOST_TEST(queue.take().size() == 1u);
    BOOST_TEST(queue.pass_by(entry, later).empty(), "one is under way");
    queue.sent();
    BOOST_TEST(!queue.pass_by(entry, later).empty());
}

BOOST_AUTO_TEST_CASE(a_drain_waits_until_all_is_sent)
{
    notice_queue queue{origin};
    queue.drain(std::chrono::hours{1});
    queue.push({kind::run, 1});
    const auto begin = std::chrono::steady_clock::now();
    queue.drain(std::chrono::milliseconds{20});
    BOOST_TEST((std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds{20}));
    std::thread sending{[&] {
        static_cast<void>(queue.take());
        queue.sent();
    }};
    queue.drain(std::chrono::hours{1});
    sending.join();
    BOOST_TEST(queue.take().empty());
}

BOOST_AUTO_TEST_SUITE_END()

#endif
