#include <boost/test/unit_test.hpp>

#include "tool/tools.hpp"

#include <weft/asio.hpp>
#include <weft/testing/async_test_case.hpp>

#include <boost/asio/awaitable.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(tool_set_test)

namespace {

namespace json = boost::json;

struct leg {
    std::string city;
    std::int64_t nights = 1;
};
BOOST_DESCRIBE_STRUCT(leg, (), (city, nights))

struct trip {
    std::vector<leg> legs;
    std::optional<leg> back;
};
BOOST_DESCRIBE_STRUCT(trip, (), (legs, back))

struct price {
    double sum = 0;
    std::string currency;
};
BOOST_DESCRIBE_STRUCT(price, (), (sum, currency))

weft::errc code_of_adding(const std::function<void(weft::tool_set&)>& add)
{
    weft::tool_set tools = some_tools();
    try {
        add(tools);
    } catch (const weft::error& e) {
        return e.code();
    }
    return weft::errc{};
}

weft::task<weft::tool_result> call(weft::tool_set tools, std::string name, json::object arguments)
{
    const weft::tool_entry* const found = tools.find(name);
    weft::tool_invocation invocation{call_of("c1", name), std::move(arguments)};
    invocation.context.call_id = "c1";
    weft::tool_result result = co_await found->work->call(std::move(invocation));
    co_return result;
}

weft::task<price> price_of(trip where)
{
    co_await weft::sleep_for(std::chrono::seconds{1});
    co_return price{12.5 * static_cast<double>(where.legs.size()), "EUR"};
}

boost::asio::awaitable<std::string> asio_word(std::string word) { co_return "asio " + word; }

}  // namespace

BOOST_AUTO_TEST_CASE(names_are_what_providers_take_and_there_once)
{
    const auto named = [](std::string name) {
        return [name](weft::tool_set& tools) { tools.add(name, "", [] {}); };
    };
    BOOST_TEST((code_of_adding(named("fine-name_2")) == weft::errc{}));
    BOOST_TEST((code_of_adding(named("")) == weft::errc::invalid_configuration));
    BOOST_TEST((code_of_adding(named("two words")) == weft::errc::invalid_configuration));
    BOOST_TEST((code_of_adding(named(std::string(65, 'x'))) == weft::errc::invalid_configuration));
    BOOST_TEST((code_of_adding(named("echo")) == weft::errc::invalid_configuration));
    BOOST_TEST((code_of_adding([](weft::tool_set& tools) { tools.add(nullptr); }) ==
                weft::errc::invalid_configuration));
    const json::object broken{{"type", 7}};
    BOOST_TEST((code_of_adding([&](weft::tool_set& tools) { tools.add("x", "", broken, [](json::object) {}); }) ==
                weft::errc::unexpected_json));
}

BOOST_AUTO_TEST_CASE(parameters_are_described_and_limited)
{
    weft::tool_set tools;
    tools.add("book", "Books a trip.", [](const trip&) { return "ok"; })
        .describe("legs", "in order")
        .describe("legs[].city", "in English")
        .range("legs[].nights", 1, 30)
        .length("legs", 1, 5)
        .length("back.city", 1, 40)
        .timeout(std::chrono::seconds{5})
        .sequential()
        .tag("travel");
    const weft::tool_entry& entry = tools.entries().front();
    const json::value& schema = entry.spec.parameters;
    BOOST_TEST(schema.at("properties").at("legs").at("description") == "in order");
    BOOST_TEST(schema.at("properties").at("legs").at("items").at("properties").at("city").at("description") ==
               "in English");
    BOOST_TEST(schema.at("properties").at("back").at("properties").at("city").at("maxLength") == 40);
    BOOST_TEST(!entry.traits.is_parallel);
    BOOST_TEST(entry.schema->accepts(json::parse(R"({"legs":[{"city":"Rome","nights":2}]})")));
    BOOST_TEST(!entry.schema->accepts(json::parse(R"({"legs":[{"city":"Rome","nights":31}]})")));
    BOOST_TEST(!entry.schema->accepts(json::parse(R"({"legs":[]})")));
    BOOST_TEST((entry.work->spec() == entry.spec));
    const auto misspelt = [](weft::tool_set& set) { set.add("y", "", [](const trip&) {}).describe("lags", "?"); };
    BOOST_TEST((code_of_adding(misspelt) == weft::errc::invalid_configuration));
    BOOST_TEST(tools.tagged(std::vector<std::string>{"travel"}).size() == 1u);
    BOOST_TEST(tools.tagged(std::vector<std::string>{"money"}).empty());
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_explained)
{
    const weft::tool_set tools = some_tools();
    BOOST_TEST(tools.explain_unknown("ecko") ==
               "there is no tool 'ecko' (did you mean 'echo'?); there are: echo, fail, wait");
    BOOST_TEST(weft::tool_set{}.explain_unknown("x") == "there is no tool 'x': there are no tools");
    const std::vector<std::string> names{"wait", "echo"};
    BOOST_TEST(tools.only(names).entries().front().spec.name == "wait");
    const std::vector<std::string> wrong{"ecko"};
    BOOST_CHECK_THROW((void)tools.only(wrong), weft::error);
}

WEFT_ASYNC_TEST_CASE(results_are_rendered_by_their_type)
{
    weft::tool_set tools = some_tools();
    tools.add("price", "", [](trip t) { return price_of(std::move(t)); });
    tools.add("nothing", "", [] {});
    tools.add("number", "", [] { return 42; });
    tools.add("asio", "", [](const word_arguments& a) { return asio_word(a.word); });
    tools.add("raw", "", json::object{{"type", "object"}}, [](json::object o) { return json::value(std::move(o)); });
    tools.add("context", "", [](const weft::tool_context& c, const word_arguments& a) { return c.call_id + a.word; });
    json::object legs{{"legs", json::array{json::object{{"city", "Rome"}, {"nights", 1}}}}};
    const weft::tool_result priced = co_await call(tools, "price", legs);
    BOOST_TEST(priced.readable() == R"({"sum": 12.5, "currency": "EUR"})");
    const weft::tool_result nothing = co_await call(tools, "nothing", {});
    BOOST_TEST(nothing.readable() == "done");
    const weft::tool_result number = co_await call(tools, "number", {});
    BOOST_TEST(number.readable() == "42");
    json::object word{{"word", "hm"}};
    const weft::tool_result asio = co_await call(tools, "asio", word);
    BOOST_TEST(asio.readable() == "asio hm");
    const weft::tool_result raw = co_await call(tools, "raw", word);
    BOOST_TEST(raw.readable() == R"({"word": "hm"})");
    const weft::tool_result context = co_await call(tools, "context", word);
    BOOST_TEST(context.readable() == "c1hm");
}

BOOST_AUTO_TEST_CASE(another_source_is_asked_for_tools_that_a_set_does_not_have)
{
    weft::tool_set others;
    others.add("far", "Far.", [] { return 1; });
    weft::tool_set tools;
    tools.add("near", "Near.", [] { return 1; });
    tools.otherwise([others](std::string_view name) -> std::shared_ptr<weft::tool> {
        if (name == "locked") throw weft::error{weft::errc::invalid_configuration, "tool", "it is locked"};
        const weft::tool_entry* const found = others.find(name);
        return found ? found->work : nullptr;
    });
    const std::vector<std::string> both{"near", "far"};
    BOOST_TEST(tools.only(both).names() == "far, near");
    BOOST_TEST(tools.find("far") == nullptr);
    const auto refusal = [&](std::string name) -> std::string {
        try {
            const std::vector<std::string> names{std::move(name)};
            return tools.only(names).names();
        } catch (const weft::error& e) {
            return e.detail();
        }
    };
    BOOST_TEST(refusal("locked") == "it is locked");
    BOOST_TEST(refusal("fra") == "there is no tool 'fra'; there are: near");
}

BOOST_AUTO_TEST_CASE(a_text_tool_has_no_schema)
{
    weft::tool_set tools;
    tools.add("sql", "Runs a query.", [](const std::string& text) { return text; });
    BOOST_TEST((tools.entries().front().spec.input == weft::tool_input::text));
    BOOST_TEST(tools.entries().front().spec.parameters.is_null());
}

BOOST_AUTO_TEST_SUITE_END()
