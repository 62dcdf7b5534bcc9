#include <boost/test/unit_test.hpp>

#include "model/endpoint_calls.hpp"
#include "model/stream_reader.hpp"
#include "net/cassette/cassette_fixture.hpp"

#include <boost/test/data/test_case.hpp>

#include <functional>
#include <ostream>
#include <string>

BOOST_AUTO_TEST_SUITE(openai_model_cassette_test)

using namespace endpoint_calls;
using namespace std::chrono_literals;
using cassette_fixture::tape_folder;
using weft::cassette;
using weft::cassette_mode;
using weft::errc;
using weft::http_client;
using weft::http_client_options;
using weft::model_error;
using weft::testing::any_request;
using weft::testing::scripted_endpoint;
using weft::testing::scripted_endpoint_options;
using weft::testing::scripted_reply;
namespace script = weft::testing;

weft::task<outcome> call(weft::openai_model model, weft::chat_request request)
{
    outcome seen;
    try {
        weft::chat_reply reply = co_await model.reply(std::move(request), seen.sink);
        seen.reply = std::move(reply);
    } catch (const model_error& e) {
        seen.failure = e;
    }
    co_return seen;
}

/** A piece of a secret has as many `*` on a cassette as it had characters. */
std::string with_equal_masks(const std::string& text)
{
    std::string result;
    for (const char c : text)
        if (c != '*' || !result.ends_with("***")) result += c;
    return result;
}

struct session {
    const char* name;
    std::function<scripted_reply()> reply;
    friend std::ostream& operator<<(std::ostream& out, const session& s) { return out << s.name; }
};

scripted_reply words() { return script::text("Grüße 👋 to you"); }

const session sessions[] = {
    {"text", [] { return words().header("x-request-id", "req_1"); }},
    {"coalesced", [] { return words().coalesced(); }},
    {"tool calls",
     [] { return words().tool_call("add", R"({"x":1})").tool_call("add", R"({"x":2})").tool_calls_alternate(); }},
    {"429", [] { return script::status(429, "slow down").header("retry-after-ms", "6500"); }},
    {"401 with a part of the key", [] { return script::status(401, "wrong key sk-TEST-0123"); }},
    {"500 page", [] { return script::status(500).body("<html>").header("content-type", "text/html"); }},
    {"cut", [] { return words().cut_after(2); }},
    {"reset", [] { return words().reset_after(1); }},
    {"error event", [] { return words().error_after(1, "died"); }},
    {"hang up", [] { return script::hang_up(); }},
    {"no HTTP", [] { return script::garbage(); }},
};

BOOST_DATA_TEST_CASE(a_session_is_replayed_as_it_was_recorded, boost::unit_test::data::make(sessions))
{
    const tape_folder folder;
    std::string recorded;
    weft::openai_model_options options;
    {
        scripted_endpoint endpoint;
        endpoint.when(any_request()).reply(sample.reply());
        options = options_for(endpoint);
        const cassette tape{folder.file(), cassette_mode::record};
        const http_client client{{.tls = {.ca_pem = endpoint.ca_pem()}}, tape};
        test_loop loop;
        started called{loop, call(weft::openai_model{client, options}, hello())};
        recorded = called.result().log();
        BOOST_TEST(tape.size() == 1u);
    }
    const std::string text = folder.text();
    BOOST_TEST(text.find("0123456789") == std::string::npos);
    BOOST_TEST(text.find("Bearer ***") != std::string::npos);

    options.key = weft::secret_string{"sk-none"};
    const cassette tape{folder.file(), cassette_mode::replay};
    weft::testing::simulation world{1};
    const outcome replayed =
        world.run(call(weft::openai_model{http_client{http_client_options{}, tape}, options}, hello()));
    BOOST_TEST(with_equal_masks(replayed.log()) == with_equal_masks(recorded));
    BOOST_TEST(tape.unused() == 0u);
}

BOOST_AUTO_TEST_CASE(the_time_between_tokens_passes_in_the_simulation)
{
    const tape_folder folder;
    weft::openai_model_options options;
    {
        scripted_endpoint endpoint;
        endpoint.when(any_request()).reply(script::text("a b c d").first_token(40ms).between_tokens(20ms));
        options = options_for(endpoint);
        const http_client client{{.tls = {.ca_pem = endpoint.ca_pem()}},
                                 cassette{folder.file(), cassette_mode::record}};
        test_loop loop;
        started called{loop, call(weft::openai_model{client, options}, hello())};
        BOOST_TEST(called.result().reply.has_value());
    }
    weft::testing::simulation world{1};
    const http_client client{http_client_options{}, cassette{folder.file(), cassette_mode::replay}};
    const outcome replayed = world.run(call(weft::openai_model{client, options}, hello()));
    BOOST_TEST(replayed.sink.text == "a b c d");
    BOOST_TEST((world.elapsed() >= 95ms));
}

BOOST_AUTO_TEST_CASE(a_changed_question_is_named_with_its_place)
{
    const tape_folder folder;
    weft::openai_model_options options;
    {
        scripted_endpoint endpoint;
        endpoint.when(any_request()).reply(words());
        options = options_for(endpoint);
        const http_client client{{.tls = {.ca_pem = endpoint.ca_pem()}},
                                 cassette{folder.file(), cassette_mode::record}};
        test_loop loop;
        started called{loop, call(weft::openai_model{client, options}, hello())};
        (void)called.result();
    }
    weft::testing::simulation world{1};
    const http_client client{http_client_options{}, cassette{folder.file(), cassette_mode::replay}};
    weft::chat_request request;
    request.user("Say goodbye");
    const outcome missed = world.run(call(weft::openai_model{client, options}, std::move(request)));
    BOOST_REQUIRE(missed.failure.has_value());
    BOOST_TEST((missed.failure->code() == errc::script_exhausted));
    BOOST_TEST(!missed.failure->is_retryable());
    const std::string difference = R"($.messages[0].content: "Say hello" is recorded, "Say goodbye" is asked)";
    BOOST_TEST(missed.failure->detail().find(difference) != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
