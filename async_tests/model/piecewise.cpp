#include "piecewise.hpp"

#include <boost/test/unit_test.hpp>

#include <random>

namespace piecewise {

namespace {

void check_end(const outcome& whole, const outcome& o, weft::errc ending)
{
    BOOST_TEST(whole.sink.text.starts_with(o.sink.text));
    BOOST_TEST(whole.sink.reasoning.starts_with(o.sink.reasoning));
    BOOST_REQUIRE(o.reply.has_value() != o.failure.has_value());
    if (o.reply) {
        BOOST_REQUIRE(whole.reply);
        BOOST_TEST((o.reply->message == whole.reply->message));
        return;
    }
    BOOST_TEST(o.failure->partial().message.tool_calls.empty());
    BOOST_TEST(!o.failure->partial().message.provider);
    BOOST_TEST((o.failure->partial().stop == weft::stop_reason::unfinished));
    BOOST_TEST(o.failure->partial().message.text() == o.sink.text);
    const bool is_cut = o.failure->code() == ending;
    BOOST_TEST((is_cut || (whole.failure && o.failure->code() == whole.failure->code())));
}

}  // namespace

void check_any_pieces(std::string_view body, const reader& read)
{
    const std::string whole = read(body, {}).log();
    BOOST_TEST(read(body, {.next_size = [] { return std::size_t{1}; }}).log() == whole);
    std::minstd_rand random{7};
    for (int i = 0; i < 50; ++i)
        BOOST_TEST(read(body, {.next_size = [&] { return 1 + random() % 90; }}).log() == whole);
}

void check_any_end(std::string_view body, const reader& read)
{
    const outcome whole = read(body, {});
    for (std::size_t size = 0; size < body.size(); ++size) {
        BOOST_TEST_CONTEXT("cut after byte " << size) {
            const std::string_view beginning = body.substr(0, size);
            check_end(whole, read(beginning, {}), weft::errc::response_truncated);
            pieces broken;
            broken.transport_failure = weft::error{weft::errc::connection_lost};
            check_end(whole, read(beginning, broken), weft::errc::connection_lost);
        }
    }
}

}  // namespace piecewise
