#include <boost/test/unit_test.hpp>

#include "scripted_endpoint_client.hpp"

#include <weft/testing/endpoint/parallel_research_script.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <set>
#include <string>

BOOST_AUTO_TEST_SUITE(parallel_research_script_test)

using namespace endpoint_test;
using namespace weft::testing;

struct fixture {
    scripted_endpoint endpoint{plain().pace(0)};
    test_client client{without_tls(endpoint)};

    fixture() { parallel_research_script(endpoint); }

    std::string ask(const std::string& system, const std::string& user)
    {
        const boost::json::value request{
            {"model", "m"},
            {"messages",
             {{{"role", "system"}, {"content", system}}, {{"role", "user"}, {"content", user}}}}};
        client.ask(boost::json::serialize(request));
        const received_response response = client.receive();
        if (response.status() != 200) return "status " + std::to_string(response.status());
        return text_of(response.body);
    }

    boost::json::value judge(const std::string& user)
    {
        return boost::json::parse(ask("You judge reports.", user));
    }
};

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

const std::string topic = R"(rain in "Köln" {topic})";

BOOST_FIXTURE_TEST_CASE(the_plan_has_three_angles_about_the_topic, fixture)
{
    const std::string plan = ask("You plan.", "Make a plan.\nTopic: " + topic + " \r\nThank you");
    for (const char* line : {"1. web: ", "2. papers: ", "3. data: "}) BOOST_TEST(contains(plan, line));
    BOOST_TEST(contains(plan, "live with " + topic + " write"));
    BOOST_TEST(contains(ask("You plan.", "  fog  \nand more"), "live with fog write"));
    BOOST_TEST(contains(ask("You plan.", ""), "the topic"));
}

BOOST_FIXTURE_TEST_CASE(each_researcher_has_findings_of_its_own, fixture)
{
    const std::string plan = "\nPlan:\n1. web: a\n2. papers: b\n3. data: c";
    std::set<std::string> findings;
    for (const std::string name : {"web", "papers", "data"}) {
        const std::string by_angle = ask("You research.", "Topic: fog\nAngle: " + name + plan);
        BOOST_TEST(by_angle == ask("You research " + name + ".", "Topic: fog" + plan));
        BOOST_TEST(by_angle == ask("You research.", "Topic: fog\nLook into " + name + "." + plan));
        BOOST_TEST(contains(by_angle, "fog"));
        findings.insert(by_angle);
    }
    BOOST_TEST(findings.size() == 3U);
    BOOST_TEST(ask("You research.", "Topic: fog") == "status 400");
}

BOOST_FIXTURE_TEST_CASE(the_report_gets_better_after_the_feedback, fixture)
{
    const std::string first = ask("You write.", "Topic: " + topic + "\nFeedback: none yet");
    BOOST_TEST(contains(first, "# " + topic + " (first draft)"));
    const boost::json::value verdict = judge("Topic: " + topic + "\n" + first);
    BOOST_TEST(verdict.at("score").as_double() == 0.62);
    const std::string feedback = verdict.at("feedback").as_string().c_str();

    const std::string second = ask("You write.", "Topic: " + topic + "\nFeedback: " + feedback);
    BOOST_TEST(contains(second, "# " + topic + " (second draft)"));
    BOOST_TEST(contains(second, "feedback"));
    BOOST_TEST(ask("You write.", "Topic: " + topic + "\nBetter, please:\n" + first) == second);
    BOOST_TEST(judge(second).at("score").as_double() == 0.9);
    BOOST_TEST(ask("You write.", "Topic: " + topic) == first);
}

BOOST_AUTO_TEST_SUITE_END()
