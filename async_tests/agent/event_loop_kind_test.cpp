#include <boost/test/unit_test.hpp>

#include "../graph/spec_samples.hpp"
#include "loops.hpp"

#include <weft/agent/event_loop_kind.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(event_loop_kind_test)

namespace {

weft::node_registry registry_with(const std::shared_ptr<loop_model>& model)
{
    weft::event_loop_options program;
    program.tools = looking();
    weft::node_registry registry;
    registry.add_kind("event_loop", weft::event_loop_kind(model, std::move(program)));
    return registry;
}

std::string loop_file(std::string_view settings)
{
    return "'state': [{'name': 'topic', 'type': 'string', 'initial': 'rain'}, {'name': 'answer', 'type': 'string'}, "
           "{'name': 'score', 'type': 'integer'}], 'nodes': [{'name': 'write', 'kind': 'event_loop', 'reads': "
           "['topic'], 'writes': ['answer', 'score'], 'outputs': {'nullable': ['score']}, 'settings': {" +
           std::string{settings} + "}}], 'edges': [{'from': '__start__', 'to': 'write'}]";
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_file_describes_an_event_loop)
{
    const auto model =
        model_of({loop_script{}.call("look", look_at("sky")), sets("score", "many"), sets("answer", "a")});
    const std::string text = spec_text(loop_file("'system': 'Tell of {topic}.', 'tools': ['look'], 'limits': "
                                                 "{'iterations_max': 5}"));
    const weft::loaded_graph loaded = weft::load_graph(text, registry_with(model));
    const seen_loop seen = run_loop(loaded.what);
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_CHECK_NO_THROW(model->assert_complete());
    BOOST_TEST(boost::json::serialize(seen.result.state.to_json().at("answer")) == "\"a\"");
    BOOST_TEST(is_told(*model, 0, "Tell of rain."));
    BOOST_TEST(is_told(*model, 2, "does not fit the output 'score'"));
}

BOOST_AUTO_TEST_CASE(mistakes_of_a_file_are_told)
{
    const auto first = [](std::string_view settings) {
        const auto all = mistakes_in(spec_text(loop_file(settings)), registry_with(std::make_shared<loop_model>()));
        return all.empty() ? std::string{} : all.front();
    };
    BOOST_TEST(first("'system': 'x'") == "");
    BOOST_TEST(first("'tools': ['lok']").find("lok") != std::string::npos);
    BOOST_TEST(first("'limits': {'judge_every': 0}").find("judge_every") != std::string::npos);
    BOOST_TEST(first("'sistem': 'x'").find("sistem") != std::string::npos);
    const auto without = mistakes_in(spec_text(loop_file("")), registry_with(nullptr));
    BOOST_REQUIRE(without.size() == 1u);
    BOOST_TEST(without[0].find("no model is configured") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
