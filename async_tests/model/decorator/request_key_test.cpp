#include <boost/test/unit_test.hpp>

#include "model/decorator/request_key.hpp"

#include <functional>
#include <vector>

BOOST_AUTO_TEST_SUITE(request_key_test)

namespace {

weft::chat_request base()
{
    weft::chat_request request;
    request.system("Be brief.").user("Why?");
    request.tool({.name = "find", .parameters = {{"type", "object"}, {"title", "x"}}});
    return request;
}

std::string key_with(const std::function<void(weft::chat_request&)>& change)
{
    weft::chat_request request = base();
    change(request);
    return weft::request_key(request);
}

using change = std::function<void(weft::chat_request&)>;

}  // namespace

BOOST_AUTO_TEST_CASE(everything_that_changes_the_answer_changes_the_key)
{
    const std::vector<change> changes{
        [](auto& r) { r.model = "m"; },
        [](auto& r) { r.user("And?"); },
        [](auto& r) { r.tool({.name = "other"}); },
        [](auto& r) { r.tool_choice.how = weft::tool_choice::mode::required; },
        [](auto& r) { r.parallel_tool_calls = false; },
        [](auto& r) { r.output = weft::output_schema{}; },
        [](auto& r) { r.output = weft::output_schema{.strict = false}; },
        [](auto& r) { r.temperature = 0; },
        [](auto& r) { r.top_p = 0.5; },
        [](auto& r) { r.seed = 1; },
        [](auto& r) { r.output_max = weft::tokens{1}; },
        [](auto& r) { r.stop = {"x"}; },
        [](auto& r) { r.reasoning_effort = "low"; },
        [](auto& r) { r.extra_body["x"] = 1; },
    };
    std::vector<std::string> keys{weft::request_key(base())};
    for (const change& one : changes) keys.push_back(key_with(one));
    for (std::size_t a = 0; a < keys.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) BOOST_TEST(keys[a] != keys[b], "changes " << a << " and " << b);
}

BOOST_AUTO_TEST_CASE(what_does_not_change_the_answer_does_not_change_the_key)
{
    const std::string key = weft::request_key(base());
    BOOST_TEST(key_with([](auto& r) { r.call_id = "x"; }) == key);
    const auto name_first = [](auto& r) {
        weft::list<weft::message> named;
        for (weft::message one : r.messages) {
            if (named.empty()) one.id = "m-1";
            named.push_back(std::move(one));
        }
        r.messages = std::move(named);
    };
    BOOST_TEST(key_with(name_first) == key);
    BOOST_TEST(key_with([](auto& r) { r.labels["tenant"] = "a"; }) == key);
    const auto swapped = [](auto& r) {
        r.tools = {};
        r.tool({.name = "find", .parameters = {{"title", "x"}, {"type", "object"}}});
    };
    BOOST_TEST(key_with(swapped) == key);
    weft::chat_request plain;
    plain.user("Why?");
    const std::string without_tools = weft::request_key(plain);
    plain.tool_choice.how = weft::tool_choice::mode::none;
    plain.parallel_tool_calls = true;
    BOOST_TEST(weft::request_key(plain) == without_tools);
}

BOOST_AUTO_TEST_CASE(quotes_in_texts_do_not_make_different_questions_alike)
{
    weft::chat_request one;
    one.user(R"(a","b)");
    weft::chat_request two;
    two.user("a").user("b");
    BOOST_TEST(weft::request_key(one) != weft::request_key(two));
}

BOOST_AUTO_TEST_SUITE_END()
