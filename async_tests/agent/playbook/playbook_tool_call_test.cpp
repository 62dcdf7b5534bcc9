#include <boost/test/unit_test.hpp>

#include "agent/playbooks.hpp"

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(playbook_tool_call_test)

namespace {

struct journey {
    std::string city;
    int days = 0;
};
BOOST_DESCRIBE_STRUCT(journey, (), (city, days))

/** A call of `book` whose number of days is a word. */
struct booking {
    booking()
    {
        weft::tool_set tools;
        tools.add("book", "Books a journey.", [this](const journey& where) {
            ++booked;
            return where.city + " for " + std::to_string(where.days) + " days";
        });
        made = std::make_shared<const weft::tool_set>(std::move(tools));
    }
    weft::playbook_options options(std::shared_ptr<weft::chat_model> model) const
    {
        weft::playbook_options result = options_of(std::move(model));
        result.agent.tools = made;
        return result;
    }
    weft::playbook_definition what =
        playbook_of("p", "{'id': 'b', 'subtype': 'tool-call', 'tool': 'book', 'label': 'Book', "
                         "'arguments': {'city': '{{trigger}}', 'days': 'three'}}",
                    {"t>b"});
    std::shared_ptr<const weft::tool_set> made;
    int booked = 0;
};

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_23_wrong_arguments_go_back_to_the_model_with_what_is_wrong_and_are_mended)
{
    booking of;
    const auto model = scripted({R"(Here: {"city": "go", "days": 3})"});
    const agent_run run = run_of(of.what, of.options(model));
    BOOST_TEST(run.result.message() == "finished");
    BOOST_TEST(left_by(run, "Book") == "\"go for 3 days\"");
    BOOST_TEST(of.booked == 1);
    const std::string asked = model->requests().at(0).messages.back().text();
    for (const char* const part : {"The step 'Book'", "$.days", "Books a journey.", R"("days":"three")", "\"integer\""})
        BOOST_TEST(asked.find(part) != std::string::npos, part);
}

BOOST_AUTO_TEST_CASE(SUL_23_the_mending_is_bounded_and_the_step_fails_with_what_is_wrong)
{
    booking of;
    const auto model = scripted({"I do not know.", R"({"city": "go", "days": "3"})"});
    const agent_run run = run_of(of.what, of.options(model));
    BOOST_TEST((run.result.status == weft::run_status::failed));
    BOOST_TEST(run.result.message().find("$.days") != std::string::npos, run.result.message());
    BOOST_TEST(of.booked == 0);
    BOOST_TEST(model->requests().size() == 2u);
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(SUL_23_without_a_model_or_repairs_wrong_arguments_fail_the_step_at_once)
{
    booking of;
    BOOST_TEST((run_of(of.what, of.options(nullptr)).result.status == weft::run_status::failed));
    const auto model = scripted({});
    weft::playbook_options options = of.options(model);
    options.repairs_max = 0;
    BOOST_TEST((run_of(of.what, options).result.status == weft::run_status::failed));
    BOOST_TEST(model->requests().empty());
    BOOST_TEST(of.booked == 0);
}

BOOST_AUTO_TEST_SUITE_END()
