#include "files.hpp"
#include "graph/run_input.hpp"
#include "run/run_registry.hpp"
#include "run/run_stubs.hpp"

#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/engine/engine.hpp>

#include <boost/test/unit_test.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(run_stubs_test)

namespace {

weft::run_result run_triage(const std::vector<std::string>& words)
{
    const weft_cli::stubbed_functions stubs{words};
    const weft::loaded_graph loaded = weft::load_graph_file(sample("triage.json"), make_registry({}, stubs));
    stubs.check_names("triage.json");
    return weft::run_blocking(loaded.what, weft::run_request{}.input(boost::json::object{{"request", "help"}}));
}

void refuses(const std::vector<std::string>& words, const std::vector<std::string>& parts)
{
    try {
        (void)run_triage(words);
        BOOST_ERROR("accepted");
    } catch (const weft_cli::usage_error& e) {
        for (const std::string& part : parts) BOOST_TEST(has(e.what(), part), e.what() << " has no " << part);
    }
}

const std::string classify = R"(classify={"category":"billing","urgency":2})";

}  // namespace

BOOST_AUTO_TEST_CASE(a_node_writes_what_its_stub_says_and_reducers_join_it)
{
    const weft::run_result result = run_triage({classify, R"(answer={"answer":"Paid.","log":"answered"})"});
    BOOST_TEST((result.status == weft::run_status::finished));
    BOOST_TEST(weft::to_json_text(result.state.to_json()) ==
               R"({"request":"help","category":"billing","urgency":2,"answer":"Paid.","log":["answered"]})");
}

BOOST_AUTO_TEST_CASE(all_functions_that_are_missing_are_told_at_once)
{
    refuses({}, {"'answer', 'classify'", "C++ program", "--stub 'answer={"});
    refuses({classify}, {"a function of a C++ program: 'answer'"});
}

BOOST_AUTO_TEST_CASE(a_stub_that_nobody_uses_is_a_slip)
{
    refuses({classify, "answer={}", "answr={}"}, {"--stub answr", "did you mean 'answer'?"});
}

BOOST_AUTO_TEST_CASE(a_stub_that_is_no_object_is_refused)
{
    refuses({"answer"}, {"--stub answer"});
    refuses({"answer=yes"}, {"--stub answer", "line 1"});
    refuses({"answer=\"yes\""}, {"--stub answer", "expected a JSON object"});
}

BOOST_AUTO_TEST_CASE(a_stub_that_does_not_fit_the_keys_fails_its_node_and_names_it)
{
    const weft::run_result unknown = run_triage({classify, R"(answer={"anwser":"x"})"});
    BOOST_TEST((unknown.status == weft::run_status::failed));
    BOOST_TEST(has(unknown.message(), "did you mean 'answer'?"));
    const weft::run_result wrong = run_triage({classify, R"(answer={"answer":7})"});
    BOOST_TEST((wrong.status == weft::run_status::failed));
    BOOST_TEST(has(wrong.message(), "key 'answer'"));
}

BOOST_AUTO_TEST_CASE(the_greeting_says_who_answers)
{
    BOOST_TEST(has(weft_cli::greeting_of({}), "No model is configured"));
    const auto model = weft_cli::model_of([](const std::string& name) -> std::optional<std::string> {
        if (name == "WEFT_LLM_URL") return "http://localhost:1/v1";
        if (name == "WEFT_LLM_MODEL") return "some-model";
        return std::nullopt;
    });
    BOOST_REQUIRE(model);
    BOOST_TEST(has(weft_cli::greeting_of({.model = model}), "some-model"));
    BOOST_TEST(!weft_cli::model_of([](const std::string&) { return std::nullopt; }));
}

BOOST_AUTO_TEST_CASE(prices_are_read_from_a_file_and_mistakes_in_it_are_told)
{
    const folder files{"prices"};
    const auto refusal = [&](const std::string& text) -> std::string {
        try {
            (void)weft_cli::read_prices(files.write("prices.json", text));
        } catch (const weft_cli::usage_error& e) {
            return e.what();
        }
        return {};
    };
    BOOST_TEST(!weft_cli::read_prices(""));
    BOOST_TEST(refusal(R"({"models": [{"match": "*", "input": 1, "output": 2}]})") == "");
    BOOST_TEST(has(refusal(R"({"models": [{"match": "*", "input": -1, "output": 2}]})"), "$.models[0].input"));
    BOOST_TEST(has(refusal("{"), "not JSON"));
    BOOST_CHECK_THROW((void)weft_cli::read_prices(sample("none.json")), weft_cli::usage_error);
}

BOOST_AUTO_TEST_SUITE_END()
