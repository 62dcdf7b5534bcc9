#include <boost/test/unit_test.hpp>

#include "store/redis/redis_pipeline.hpp"

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(redis_pipeline_test)

using weft::errc;
using weft::error;
using weft::redis_value;
using weft::redis_detail::pipeline_caller;
using weft::redis_detail::redis_pipeline;

namespace {

class noting_caller final : public pipeline_caller {
public:
    void on_reply(redis_value reply) override { heard += "reply " + reply.text + ";"; }
    void on_lost(const error&, bool was_sent) override { heard += was_sent ? "lost sent;" : "lost unsent;"; }
    std::string heard;
};

redis_value text(std::string words)
{
    redis_value value;
    value.what = redis_value::kind::text;
    value.text = std::move(words);
    return value;
}

std::string batch(redis_pipeline& pipeline, std::size_t bytes_max = 1000)
{
    std::string taken;
    pipeline.take_batch(taken, bytes_max);
    return taken;
}

}  // namespace

BOOST_AUTO_TEST_CASE(answers_go_to_the_callers_in_the_order_of_the_commands)
{
    redis_pipeline pipeline{10, 1000};
    noting_caller a, b, c;
    (void)pipeline.push("A", a);
    (void)pipeline.push("B", b);
    BOOST_TEST(batch(pipeline) == "AB");
    (void)pipeline.push("C", c);
    BOOST_TEST(pipeline.settle(text("1")));
    BOOST_TEST(batch(pipeline) == "C");
    BOOST_TEST(pipeline.settle(text("2")));
    BOOST_TEST(pipeline.settle(text("3")));
    BOOST_TEST(a.heard == "reply 1;");
    BOOST_TEST(b.heard == "reply 2;");
    BOOST_TEST(c.heard == "reply 3;");
    BOOST_TEST(!pipeline.settle(text("4")));
}

BOOST_AUTO_TEST_CASE(a_command_that_nobody_waits_for_is_not_sent_or_keeps_its_place)
{
    redis_pipeline pipeline{10, 1000};
    noting_caller a, b, c;
    const auto first = pipeline.push("A", a);
    const auto second = pipeline.push("B", b);
    (void)pipeline.push("C", c);
    BOOST_TEST(!redis_pipeline::was_sent(second));
    pipeline.abandon(second);
    BOOST_TEST(batch(pipeline) == "AC");
    BOOST_TEST(redis_pipeline::was_sent(first));
    pipeline.abandon(first);
    BOOST_TEST(pipeline.settle(text("1")));
    BOOST_TEST(pipeline.settle(text("2")));
    BOOST_TEST(a.heard == "");
    BOOST_TEST(b.heard == "");
    BOOST_TEST(c.heard == "reply 2;");
}

BOOST_AUTO_TEST_CASE(a_batch_is_bounded_and_has_at_least_one_command)
{
    redis_pipeline pipeline{10, 1000};
    noting_caller caller;
    for (const char* command : {"aaaa", "bb", "cc", "dddddddd"}) (void)pipeline.push(command, caller);
    BOOST_TEST(batch(pipeline, 6) == "aaaabb");
    BOOST_TEST(batch(pipeline, 6) == "cc");
    BOOST_TEST(batch(pipeline, 6) == "dddddddd");
    BOOST_TEST(batch(pipeline, 6) == "");
}

BOOST_AUTO_TEST_CASE(a_loss_tells_those_whose_commands_were_sent)
{
    redis_pipeline pipeline{10, 1000};
    noting_caller a, b, c;
    (void)pipeline.push("A", a);
    const auto second = pipeline.push("B", b);
    (void)batch(pipeline);
    pipeline.abandon(second);
    (void)pipeline.push("C", c);
    pipeline.lose_sent(error{errc::connection_lost});
    BOOST_TEST(a.heard == "lost sent;");
    BOOST_TEST(b.heard == "");
    BOOST_TEST(c.heard == "");
    BOOST_TEST(!pipeline.has_unanswered());
    pipeline.fail_unsent(error{errc::store_refused});
    BOOST_TEST(c.heard == "lost unsent;");
    BOOST_TEST(pipeline.pending() == 0u);
}

BOOST_AUTO_TEST_CASE(commands_and_bytes_are_bounded_and_room_comes_back)
{
    const auto is_full = [](redis_pipeline& pipeline, const char* command, noting_caller& caller) {
        try {
            (void)pipeline.push(command, caller);
            return false;
        } catch (const error& e) {
            return e.code() == errc::limit_reached;
        }
    };
    noting_caller caller;
    redis_pipeline two{2, 1000};
    (void)two.push("A", caller);
    const auto second = two.push("B", caller);
    BOOST_TEST(is_full(two, "C", caller));
    two.abandon(second);
    BOOST_TEST(!is_full(two, "C", caller));
    (void)batch(two);
    BOOST_TEST(is_full(two, "D", caller));
    BOOST_TEST(two.settle(text("1")));
    BOOST_TEST(!is_full(two, "D", caller));

    redis_pipeline ten_bytes{100, 10};
    BOOST_TEST(!is_full(ten_bytes, "123456", caller));
    BOOST_TEST(is_full(ten_bytes, "12345", caller));
    (void)batch(ten_bytes);
    BOOST_TEST(!is_full(ten_bytes, "1234567890", caller));
    ten_bytes.fail_unsent(error{errc::store_refused});
    BOOST_TEST(!is_full(ten_bytes, "1234567890", caller));
}

BOOST_AUTO_TEST_SUITE_END()
