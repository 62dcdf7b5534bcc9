#include <boost/test/unit_test.hpp>

#include <weft/base/json.hpp>
#include <weft/model/decorator/price_table.hpp>

BOOST_AUTO_TEST_SUITE(price_table_test)

namespace {

using weft::price_table;

const char* const example = R"({"currency":"USD","unit_tokens":1000000,"models":[
  {"match":"gpt-x*","provider":"openai","input":1.25,"input_cache_read":0.125,"output":10.0},
  {"match":"gpt-x-mini*","provider":"openai","input":0.1,"output":0.4},
  {"match":"claude-x*","provider":"anthropic","input":3.0,"input_cache_read":0.3,"input_cache_write":3.75,
   "input_cache_write_1h":6.0,"output":15.0,"tiers":[{"above_input_tokens":200000,"input":6.0,"output":22.5}]},
  {"match":"*-free","input":0,"output":0},
  {"match":"search-?","input":1,"output":1,"request":0.01},
  {"match":"*","provider":"ollama","input":0,"output":0}]})";

price_table table() { return price_table::from(weft::parse_json(example)); }

weft::usage used(std::int64_t input, std::int64_t output, std::int64_t cached = 0, std::int64_t written = 0)
{
    weft::usage result;
    result.input = weft::tokens{input};
    result.output = weft::tokens{output};
    result.cached = weft::tokens{cached};
    result.cache_written = weft::tokens{written};
    return result;
}

std::int64_t micros(std::string_view provider, std::string_view model, const weft::usage& usage, std::int64_t calls = 1)
{
    const auto cost = table().cost(provider, model, usage, calls);
    return cost ? cost->amount.count() : -1;
}

weft::errc refused(const char* text)
{
    try {
        static_cast<void>(price_table::from(weft::parse_json(text)));
        return {};
    } catch (const weft::error& e) {
        return e.code();
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(input_output_and_cache_have_their_prices)
{
    BOOST_TEST(micros("openai", "gpt-x-2026-01-01", used(1'000'000, 100'000)) == 1'250'000 + 1'000'000);
    BOOST_TEST(micros("openai", "gpt-x", used(1'000'000, 0, 400'000)) == 750'000 + 50'000);
    BOOST_TEST(micros("anthropic", "claude-x", used(100'000, 0, 50'000, 20'000)) == 90'000 + 15'000 + 75'000);
    BOOST_TEST(micros("openai", "gpt-x-mini", used(1'000'000, 0, 1'000'000)) == 100'000);  // as the input
}

BOOST_AUTO_TEST_CASE(the_longest_pattern_counts)
{
    BOOST_TEST(micros("openai", "gpt-x-mini-2", used(1'000'000, 0)) == 100'000);
    BOOST_TEST(micros("ollama", "anything", used(1'000'000, 1)) == 0);
    BOOST_TEST(micros("any", "a-free", used(1'000'000, 1)) == 0);
}

BOOST_AUTO_TEST_CASE(an_unknown_model_has_no_cost_rather_than_none)
{
    BOOST_TEST(!table().cost("openai", "other", used(1, 1)).has_value());
    BOOST_TEST(!table().cost("azure", "gpt-x", used(1, 1)).has_value());
    BOOST_TEST(!price_table{}.cost("openai", "gpt-x", used(1, 1)).has_value());
}

BOOST_AUTO_TEST_CASE(a_tier_counts_for_the_whole_call_above_its_input)
{
    BOOST_TEST(micros("anthropic", "claude-x", used(200'000, 1'000)) == 600'000 + 15'000);
    BOOST_TEST(micros("anthropic", "claude-x", used(200'001, 1'000)) == 1'200'006 + 22'500);
    BOOST_TEST(micros("anthropic", "claude-x", used(300'000, 0, 100'000)) == 1'200'000 + 60'000);
}

BOOST_AUTO_TEST_CASE(requests_may_cost_too_and_amounts_are_rounded_up)
{
    BOOST_TEST(micros("any", "search-2", used(0, 0), 3) == 30'000);
    BOOST_TEST(micros("any", "search-12", used(0, 0)) == -1);
    BOOST_TEST(micros("openai", "gpt-x-mini", used(1, 0)) == 1);
    BOOST_TEST(micros("openai", "gpt-x-mini", used(0, 0)) == 0);
}

BOOST_AUTO_TEST_CASE(usage_that_is_not_known_makes_a_cost_that_is_not_whole)
{
    weft::usage partly = used(1'000'000, 0);
    partly.unreported = 1;
    const auto cost = table().cost("openai", "gpt-x", partly);
    BOOST_TEST(cost->amount.count() == 1'250'000);
    BOOST_TEST(!cost->is_whole);
}

BOOST_AUTO_TEST_CASE(absurd_counts_do_not_turn_a_cost_round)
{
    BOOST_TEST(micros("openai", "gpt-x", used(INT64_MAX, INT64_MAX)) > 0);
    BOOST_TEST(micros("openai", "gpt-x", used(-5, -5)) == 0);
    BOOST_TEST(micros("openai", "gpt-x", used(10, 0, 1'000'000)) == 125'000);
}

BOOST_AUTO_TEST_CASE(mistakes_in_the_table_are_refused)
{
    using weft::errc;
    const auto is = [](const char* text, errc code) { BOOST_TEST((refused(text) == code), text); };
    is(R"({"models":[{"match":"a","input":1}]})", errc::unexpected_json);
    is(R"({"models":[{"match":"a","input":1,"outputs":1,"output":1}]})", errc::unexpected_json);
    is(R"({"models":[{"match":"a","input":"1","output":1}]})", errc::unexpected_json);
    is(R"({"models":[{"match":"a","input":-1,"output":1}]})", errc::invalid_configuration);
    is(R"({"models":[{"match":"","input":1,"output":1}]})", errc::invalid_configuration);
    is(R"({"currency":"EUR","models":[]})", errc::invalid_configuration);
    is(R"({"unit_tokens":0,"models":[]})", errc::invalid_configuration);
    is(R"({"models":[{"match":"a","input":1,"output":1,"tiers":[{"above_input_tokens":-1}]}]})",
       errc::invalid_configuration);
    is(R"({"models":[]})", errc{});
}

BOOST_AUTO_TEST_SUITE_END()
