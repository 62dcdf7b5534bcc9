#include <weft/agent/turn_agent/turn_environment.hpp>
#include <weft/base/error.hpp>

#include <boost/test/unit_test.hpp>

#include <map>
#include <string>

BOOST_AUTO_TEST_SUITE(turn_environment_test)

namespace {

using variables = std::map<std::string, std::string>;

weft::turn_budget budget_of(const variables& all)
{
    return weft::budget_from_environment([&all](const std::string& name) -> std::optional<std::string> {
        const auto found = all.find(name);
        if (found == all.end()) return std::nullopt;
        return found->second;
    });
}

std::string refused(const variables& all)
{
    try {
        (void)budget_of(all);
    } catch (const weft::error& e) {
        return e.where() + ": " + e.detail();
    }
    return "taken";
}

}  // namespace

BOOST_AUTO_TEST_CASE(without_variables_the_defaults_stand)
{
    const weft::turn_budget budget = budget_of({{"MAX_TURNS", ""}});
    BOOST_TEST(budget.turns_max == 50u);
    BOOST_TEST(budget.tokens_max.count() == 1'000'000);
    BOOST_TEST(budget.cost_max.count() == 2'000'000);
    BOOST_TEST(budget.elapsed_max.count() == 1'800'000);
    BOOST_TEST(budget.tool_calls_max == 200u);
}

BOOST_AUTO_TEST_CASE(a_name_that_begins_with_IVY_counts_first)
{
    const weft::turn_budget budget = budget_of({{"MAX_TURNS", "7"}, {"IVY_MAX_TURNS", "8"}, {"MAX_TOKENS", "9"},
                                                {"IVY_COST_CAP", "2.5"}, {"TIMEOUT_MS", "1500"},
                                                {"IVY_MAX_TOOL_CALLS", "0"}});
    BOOST_TEST(budget.turns_max == 8u);
    BOOST_TEST(budget.tokens_max.count() == 9);
    BOOST_TEST(budget.cost_max.count() == 2'500'000);
    BOOST_TEST(budget.elapsed_max.count() == 1'500);
    BOOST_TEST(budget.tool_calls_max == 0u);
}

BOOST_AUTO_TEST_CASE(what_is_no_number_is_refused_with_its_name)
{
    BOOST_TEST(refused({{"IVY_MAX_TURNS", "many"}}) ==
               "IVY_MAX_TURNS: 'many' is not a whole number from 0 to 4294967295");
    BOOST_TEST(refused({{"MAX_TURNS", "-1"}}).starts_with("MAX_TURNS: "));
    BOOST_TEST(refused({{"MAX_TURNS", "4294967296"}}).starts_with("MAX_TURNS: "));
    BOOST_TEST(refused({{"TIMEOUT_MS", "-1"}}).starts_with("TIMEOUT_MS: "));
    BOOST_TEST(refused({{"COST_CAP", "$2"}}) == "COST_CAP: '$2' is not an amount in US dollars, such as 2.50");
    BOOST_TEST(refused({{"COST_CAP", "-1"}}).starts_with("COST_CAP: "));
    BOOST_TEST(refused({{"COST_CAP", "nan"}}).starts_with("COST_CAP: "));
}

BOOST_AUTO_TEST_SUITE_END()
