#include <boost/test/unit_test.hpp>

#include "oauth_server.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/signal.hpp>
#include <weft/async/sleep.hpp>

// Calls that need a token at the same time.
BOOST_AUTO_TEST_SUITE(mcp_oauth_sharing_test)

using namespace oauth_server;

namespace {

task<void> note_call(mcp_client& client, std::vector<call_outcome>& outcomes)
{
    call_outcome outcome = co_await call_once(client, "book");
    outcomes.push_back(std::move(outcome));
}

/** One call, then several at once after the server has forgotten its tokens. */
task<std::vector<call_outcome>> call_together(server* where, weft::mcp_endpoint endpoint, std::size_t count)
{
    mcp_client client{weft::mcp_http(weft::http_client{}, std::move(endpoint))};
    std::vector<call_outcome> outcomes;
    co_await note_call(client, outcomes);
    where->forget_tokens();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope calls{context};
    for (std::size_t i = 0; i < count; ++i) calls.spawn(note_call(client, outcomes));
    co_await calls.join();
    co_await client.close();
    co_return outcomes;
}

/** A person who never answers the first time. */
struct slow_person {
    server* at = nullptr;
    int visits = 0;
    weft::signal asked{};
};

task<std::string> hesitate(slow_person* person, std::string target)
{
    if (++person->visits == 1) {
        person->asked.notify();
        co_await weft::sleep_for(1h);
    }
    co_return person->at->agree(target);
}

task<weft::oauth_redirect> redirect_to_slow(slow_person* person)
{
    weft::oauth_redirect redirect;
    redirect.uri = redirect_uri;
    redirect.visit = [person](std::string target) { return hesitate(person, std::move(target)); };
    co_return redirect;
}

/** Two calls, of which the first is stopped while it asks the person. */
task<std::vector<call_outcome>> stop_the_first(slow_person* person, weft::mcp_endpoint endpoint)
{
    mcp_client client{weft::mcp_http(weft::http_client{}, std::move(endpoint))};
    std::vector<call_outcome> outcomes;
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope first{context};
    first.spawn(note_call(client, outcomes));
    co_await person->asked.wait();
    weft::scope second{context};
    second.spawn(note_call(client, outcomes));
    first.request_stop();
    co_await first.join();
    co_await second.join();
    co_await client.close();
    co_return outcomes;
}

}  // namespace

BOOST_AUTO_TEST_CASE(M4_calls_at_one_time_share_one_refresh)
{
    server where;
    const auto got = weft::run_blocking(call_together(&where, oauth_server::at(where, agreeing(where)), 8));
    BOOST_TEST(got.size() == 9U);
    for (const auto& each : got) BOOST_TEST(is_booked(each), each.text);
    BOOST_TEST(where.count("refresh_token") == 1);
    BOOST_TEST(where.visits == 1);
}

BOOST_AUTO_TEST_CASE(M4_a_call_that_is_stopped_while_it_asks_a_person_leaves_that_to_the_next)
{
    server where;
    slow_person person{&where};
    weft::oauth_options options;
    options.redirect = [&person] { return redirect_to_slow(&person); };
    const auto got = weft::run_blocking(stop_the_first(&person, oauth_server::at(where, std::move(options))));
    BOOST_REQUIRE(got.size() == 2U);
    BOOST_TEST((got[0].code == errc::cancelled), got[0].text);
    BOOST_TEST(is_booked(got[1]), got[1].text);
    BOOST_TEST(person.visits == 2);
    BOOST_TEST(where.complaints() == "");
}

BOOST_AUTO_TEST_SUITE_END()
