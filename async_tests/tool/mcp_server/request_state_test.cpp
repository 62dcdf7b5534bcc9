#include "tool/mcp_server/request_state.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>

BOOST_AUTO_TEST_SUITE(request_state_test)

using weft::mcp_detail::request_state;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(a_state_counts_for_its_request_until_it_expires_and_as_it_was_written)
{
    const weft::clock::system_time_point now{1000s};
    const request_state states{weft::secret_string{"key"}};
    const boost::json::object answers{{"name", {{"action", "accept"}}}};
    const std::string sealed = states.seal(answers, "ada\ntools/call", now + 60s);
    const auto read = states.open(sealed, "ada\ntools/call", now);
    BOOST_TEST_REQUIRE(read.has_value());
    BOOST_TEST((*read == answers));
    BOOST_TEST(!states.open(sealed, "bob\ntools/call", now));
    BOOST_TEST(!states.open(sealed, "ada\ntools/call", now + 61s));
    BOOST_TEST(!request_state{weft::secret_string{"other"}}.open(sealed, "ada\ntools/call", now));
    for (std::size_t at = 0; at < sealed.size(); at += 7) {
        std::string changed = sealed;
        changed[at] = changed[at] == 'A' ? 'B' : 'A';
        BOOST_TEST(!states.open(changed, "ada\ntools/call", now), at);
    }
    for (const char* const wrong : {"", ".", "a", "a.b"}) BOOST_TEST(!states.open(wrong, "ada\ntools/call", now));
}

BOOST_AUTO_TEST_SUITE_END()
