#include <boost/test/unit_test.hpp>

#include <weft/agent/core/agent_settings.hpp>
#include <weft/model/chat_request.hpp>

#include <limits>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(agent_settings_test)

namespace {

std::vector<std::string> faults_at(std::optional<double> temperature, std::optional<std::int64_t> output_max)
{
    weft::sampling_settings settings;
    settings.temperature = temperature;
    settings.output_max = output_max;
    return settings.faults();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_temperature_is_a_number_from_0_to_100)
{
    BOOST_TEST(faults_at({}, {}).empty());
    for (const double right : {0.0, 0.7, 2.0, 100.0}) BOOST_TEST(faults_at(right, {}).empty());
    BOOST_TEST(faults_at(100.5, {}).at(0) == "temperature: is too high: it is at most 100");
    BOOST_TEST(faults_at(-0.1, {}).at(0) == "temperature: is negative: it is at least 0");
    BOOST_TEST(faults_at(std::numeric_limits<double>::quiet_NaN(), {}).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_reply_has_at_least_one_token)
{
    BOOST_TEST(faults_at({}, 1).empty());
    BOOST_TEST(faults_at(-1, 0).size() == 2U);
    BOOST_TEST(faults_at({}, 0).at(0) == "output_max: is too small: it is at least 1");
}

BOOST_AUTO_TEST_CASE(a_request_is_made_as_the_settings_say)
{
    weft::sampling_settings settings;
    settings.model = "small";
    settings.temperature = 0.2;
    weft::chat_request request;
    request.output_max = weft::tokens{99};
    settings.apply_to(request);
    BOOST_TEST(request.model == "small");
    BOOST_TEST((request.temperature == 0.2));
    BOOST_TEST((request.output_max == weft::tokens{99}));  // settings without a limit leave that of the request
    settings.output_max = 12;
    settings.apply_to(request);
    BOOST_TEST((request.output_max == weft::tokens{12}));
}

BOOST_AUTO_TEST_CASE(faults_of_the_guardrails_are_told_with_their_place)
{
    weft::agent_settings settings;
    BOOST_TEST(settings.faults().empty());
    settings.temperature = -1;
    settings.guards.input.emplace_back();  // a check without a kind
    const std::vector<std::string> faults = settings.faults();
    BOOST_REQUIRE(faults.size() >= 2U);
    BOOST_TEST(faults[0].starts_with("temperature: "));
    BOOST_TEST(faults[1].starts_with("guards."), faults[1]);
}

BOOST_AUTO_TEST_SUITE_END()
