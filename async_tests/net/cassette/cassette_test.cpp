#include <boost/test/unit_test.hpp>

#include "cassette_fixture.hpp"

#include <weft/testing/simulation/suspension_points.hpp>

#include <boost/test/data/test_case.hpp>

BOOST_AUTO_TEST_SUITE(cassette_test)

using namespace cassette_fixture;
using namespace std::chrono_literals;
using http_fixture::fetch;
using weft::cassette;
using weft::cassette_mode;
using weft::cassette_options;
using weft::cassette_timing;
using weft::errc;
using weft::error;
using weft::http_client;
using weft::http_client_options;
using weft::http_request;
using weft::http_response;
using weft::http_timeouts;
using weft::url;
using weft::testing::simulation;

const url x{"http://x.test/"};

struct timed_piece {
    std::string text;
    std::chrono::milliseconds at;
    friend bool operator==(const timed_piece&, const timed_piece&) = default;
    friend std::ostream& operator<<(std::ostream& out, const timed_piece& p)
    {
        return out << p.text << " at " << p.at.count();
    }
};

weft::task<std::vector<timed_piece>> read_pieces(http_client client, url target)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto began = loop.now();
    std::vector<timed_piece> pieces;
    http_response response = co_await client.send(http_request{"GET", target});
    for (;;) {
        const std::string_view piece = co_await response.read_some();
        pieces.push_back(
            {std::string{piece}, std::chrono::duration_cast<std::chrono::milliseconds>(loop.now() - began)});
        if (piece.empty()) co_return pieces;
    }
}

BOOST_AUTO_TEST_CASE(a_response_comes_in_its_pieces_at_their_times)
{
    const tape_folder folder;
    const cassette tape{folder.write(tape_text(streamed())), cassette_mode::replay};
    BOOST_TEST(tape.size() == 1u);
    BOOST_TEST(tape.unused() == 1u);
    simulation world{1};
    const auto pieces = world.run(read_pieces(http_client{http_client_options{}, tape}, x));
    const std::vector<timed_piece> expected{{"one ", 100ms}, {"two ", 1100ms}, {"three", 1200ms}, {"", 1200ms}};
    BOOST_TEST(pieces == expected, boost::test_tools::per_element());
    BOOST_TEST(tape.unused() == 0u);
}

BOOST_AUTO_TEST_CASE(without_timing_everything_comes_at_once)
{
    const tape_folder folder;
    const cassette tape{folder.write(tape_text(streamed())), cassette_mode::replay,
                        cassette_options{.timing = cassette_timing::none}};
    simulation world{1};
    const auto pieces = world.run(read_pieces(http_client{http_client_options{}, tape}, x));
    BOOST_TEST(pieces.size() == 4u);
    BOOST_TEST(world.elapsed().count() == 0);
}

BOOST_AUTO_TEST_CASE(the_head_is_the_recorded_one_and_everything_reads_it)
{
    const tape_folder folder;
    const http_client client = replaying(folder.write(tape_text(streamed() + "," + streamed() + "," + streamed())));
    simulation world{1};
    http_response all = world.run(client.send(http_request{"GET", x}));
    BOOST_TEST(all.status() == 200);
    BOOST_TEST(all.head().media_type() == "text/plain");
    BOOST_TEST(!all.is_complete());
    BOOST_TEST(world.run(all.read_all(100)) == "one two three");
    BOOST_TEST(all.is_complete());
    http_response some = world.run(client.send(http_request{"GET", x}));
    BOOST_TEST(world.run(some.read_at_most(5)) == "one t");
    BOOST_TEST(world.run(some.read_at_most(100)) == "wo three");
    http_response dropped = world.run(client.send(http_request{"GET", x}));
    BOOST_TEST(!world.run(dropped.drain(100, 500ms)));
    BOOST_CHECK_THROW((void)world.run(dropped.read_some()), error);
    BOOST_TEST(client.counts().opened == 0u);
}

struct recorded_failure {
    const char* end;
    errc code;
    friend std::ostream& operator<<(std::ostream& out, const recorded_failure& f) { return out << f.end; }
};
const recorded_failure recorded_failures[] = {
    {R"({"ms": 2000, "how": "failed", "error": "response_truncated", "detail": "cut"})", errc::response_truncated},
    {R"({"ms": 900000, "how": "failed", "error": "gap_timeout", "detail": "slow"})", errc::gap_timeout},
    {R"({"ms": 2000, "how": "failed", "error": "of_a_later_version"})", errc::connection_lost},
    {R"({"ms": 1300, "how": "closed"})", errc::response_truncated},
};

BOOST_DATA_TEST_CASE(a_response_ends_as_it_did, boost::unit_test::data::make(recorded_failures))
{
    const tape_folder folder;
    const http_client client = replaying(folder.write(tape_text(streamed(sample.end))));
    const error failure = failure_of(fetch(client, x));
    BOOST_TEST((failure.code() == sample.code));
    BOOST_TEST(failure.where() == "x.test:80");
}

BOOST_AUTO_TEST_CASE(an_exchange_that_failed_before_its_response_fails_again)
{
    const tape_folder folder;
    const auto file = folder.write(tape_text(R"({"request": {"method": "GET", "url": "http://x.test/", "headers": []},
        "end": {"ms": 5000, "how": "failed", "error": "connect_timeout", "detail": "during the TLS handshake"}})"));
    const error failure = failure_of(fetch(replaying(file), x));
    BOOST_TEST((failure.code() == errc::connect_timeout));
    BOOST_TEST(failure.detail() == "during the TLS handshake");
}

BOOST_AUTO_TEST_CASE(the_timeouts_of_the_client_hold)
{
    const tape_folder folder;
    const auto file = folder.write(tape_text(streamed()));
    const auto with = [&](http_timeouts limits) { return replaying(file, http_client_options{.timeouts = limits}); };
    BOOST_TEST((failure_of(fetch(with(http_timeouts{.gap = 999ms}), x)).code() == errc::gap_timeout));
    BOOST_TEST((failure_of(fetch(with(http_timeouts{.first_byte = 49ms}), x)).code() == errc::first_byte_timeout));
    simulation world{1};
    BOOST_TEST(world.run(fetch(with(http_timeouts{.first_byte = 50ms, .gap = 1s}), x)).body == "one two three");
}

/** The beginning of an exchange. */
std::string recorded_post(const char* json)
{
    return std::string{R"({"request": {"method": "POST", "url": "http://x.test/", "headers": [], "body": {"json": )"} +
           json + "}}, ";
}

BOOST_AUTO_TEST_CASE(equal_requests_get_the_answers_in_order_and_each_once)
{
    const auto exchange = [](const char* body, const char* answer) {
        return recorded_post(body) + R"("response": {"ms": 0, "status": 200, "reason": "", "headers": [],)" +
               R"("chunks": [{"ms": 0, "text": ")" + answer + R"("}]}, "end": {"ms": 0, "how": "complete"}})";
    };
    const tape_folder folder;
    const http_client client = replaying(folder.write(tape_text(
        exchange(R"({"a":1,"b":[2]})", "first") + "," + exchange(R"({"a":2})", "other") + "," +
        exchange(R"({"b":[2],"a":1})", "second"))));
    simulation world{1};
    BOOST_TEST(world.run(fetch(client, post(x, R"({ "b" : [2], "a" : 1 })"))).body == "first");
    BOOST_TEST(world.run(fetch(client, post(x, R"({"a":1,"b":[2]})"))).body == "second");
    BOOST_TEST(world.run(fetch(client, post(x, R"({"a":2})"))).body == "other");
    const error failure = failure_of(fetch(client, post(x, R"({"a":2})")));
    BOOST_TEST((failure.code() == errc::script_exhausted));
    BOOST_TEST(failure.detail().find("exchange 2 is for it and was given out before") != std::string::npos);
}

struct missed {
    const char* body;
    const char* text;
    friend std::ostream& operator<<(std::ostream& out, const missed& m) { return out << m.text; }
};
const missed misses[] = {
    {R"({"model":"m","messages":[{"role":"system"},{"content":"Hello"}]})",
     R"(the closest is exchange 2, which differs at $.messages[1].content: "Hi" is recorded, "Hello" is asked)"},
    {R"({"model":"m","messages":[{"role":"system"},{"content":"Hi"},{"content":"more"}]})",
     R"(differs at $.messages[2]: nothing is recorded, {"content":"more"} is asked)"},
    {R"({"model":"m","messages":[{"role":"system"},{}]})",
     R"(differs at $.messages[1].content: "Hi" is recorded, nothing is asked)"},
    {R"(no JSON)", "has another body"},
};

BOOST_DATA_TEST_CASE(a_miss_names_the_closest_request_and_where_it_differs, boost::unit_test::data::make(misses))
{
    const auto exchange = [](const char* body) {
        return recorded_post(body) + R"("end": {"ms": 0, "how": "closed"}})";
    };
    const tape_folder folder;
    const http_client client = replaying(folder.write(tape_text(
        exchange(R"({"model":"other","messages":[]})") + "," +
        exchange(R"({"model":"m","messages":[{"role":"system"},{"content":"Hi"}]})"))));
    const error failure = failure_of(fetch(client, post(x, sample.body)));
    BOOST_TEST((failure.code() == errc::script_exhausted));
    BOOST_TEST(failure.detail().find(sample.text) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_miss_of_another_url_or_on_an_empty_cassette_says_so)
{
    const tape_folder folder;
    const error other = failure_of(fetch(replaying(folder.write(tape_text(streamed()))), url{"http://x.test/y"}));
    BOOST_TEST(other.detail().find("for GET http://x.test/y; the closest is exchange 1, which is GET http://x.test/") !=
               std::string::npos);
    const error none = failure_of(fetch(replaying(folder.write(tape_text(""))), x));
    BOOST_TEST(none.detail().find("the cassette is empty") != std::string::npos);
}

struct bad_file {
    const char* text;
    errc code;
    const char* says;
    friend std::ostream& operator<<(std::ostream& out, const bad_file& f) { return out << f.says; }
};
const bad_file bad_files[] = {
    {"{", errc::invalid_json, "line 1"},
    {"[]", errc::invalid_configuration, "no cassette"},
    {R"({"format": "weft cassette", "exchanges": []})", errc::invalid_configuration, "version nothing"},
    {R"({"format": "weft cassette", "version": 2, "exchanges": []})", errc::invalid_configuration, "version 2"},
    {R"({"format": "weft cassette", "version": 1, "exchanges": [{}]})", errc::unexpected_json, "$.exchanges[0]"},
};

BOOST_DATA_TEST_CASE(a_file_that_is_no_cassette_is_refused_by_its_name, boost::unit_test::data::make(bad_files))
{
    const tape_folder folder;
    const auto file = folder.write(sample.text);
    for (const cassette_mode mode : {cassette_mode::replay, cassette_mode::record_missing})
        BOOST_CHECK_EXCEPTION((cassette{file, mode}), error, [&](const error& e) {
            return e.code() == sample.code && e.where() == file.string() &&
                   e.detail().find(sample.says) != std::string::npos;
        });
    BOOST_TEST(folder.text() == sample.text);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_missing_or_too_large_is_refused)
{
    const tape_folder folder;
    BOOST_CHECK_EXCEPTION((cassette{folder.file(), cassette_mode::replay}), error,
                          [](const error& e) { return e.code() == errc::invalid_configuration; });
    const auto file = folder.write(tape_text(streamed()));
    BOOST_CHECK_EXCEPTION((cassette{file, cassette_mode::replay, cassette_options{.bytes_max = 100}}), error,
                          [](const error& e) { return e.code() == errc::limit_reached; });
}

weft::task<std::string> replay_whole(fs::path file)
{
    const http_client client = replaying(file);
    http_response response = co_await client.send(http_request{"GET", x});
    std::string body = co_await response.read_all(1000);
    co_return body;
}

BOOST_AUTO_TEST_CASE(a_replay_may_be_stopped_and_destroyed_wherever_it_waits)
{
    const tape_folder folder;
    const auto file = folder.write(tape_text(streamed()));
    const auto make = [&] { return replay_whole(file); };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(make) >= 4u);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(make) >= 3u);
}

BOOST_AUTO_TEST_SUITE_END()
