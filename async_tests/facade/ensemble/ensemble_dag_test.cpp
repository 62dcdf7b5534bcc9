#include <weft/facade/ensemble/ensemble_dag.hpp>

#include "ensembles.hpp"

#include <weft/engine/trace/run_overlay_recorder.hpp>

#include <boost/json/serialize.hpp>

using namespace weft_tests;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(ensemble_dag_test)

namespace {

/** Writes, is criticised once, and publishes. */
weft::ensemble_graph newsroom()
{
    weft::ensemble_task write = counts();
    write.description = "Write about {topic} as {\"json\"}.";
    write.expected_output = "A text on {topic}";
    write.role = "journalist";
    const auto again = [](const weft::ensemble_routing_context& at) { return at.step_number < 3; };
    return weft::ensemble_graph::builder{}
        .name("news")
        .state("write", write)
        .state("critique", says("hm"))
        .state("archive", says("old"))
        .edge("write", "critique")
        .edge("critique", "write", again, "too dull")
        .edge("critique", "archive", [](const auto& at) { return at.step_number > 90; })
        .edge("critique", "__END__")
        .edge("archive", "__END__")
        .start("write")
        .build();
}

weft::ensemble_request on_rome()
{
    weft::ensemble_request request;
    request.inputs({{"topic", "Rome"}});
    return request;
}

std::string text_at(const json::object& dag, std::size_t task, std::string_view member)
{
    return json::serialize(dag.at("tasks").at(task).at(member));
}

std::string fired(const json::object& dag)
{
    std::string all;
    for (const json::value& edge : dag.at("graphEdges").as_array()) all += edge.at("fired").as_bool() ? '1' : '0';
    return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(AGE_13_before_a_run_the_export_has_the_tasks_of_the_ensemble)
{
    const json::object dag = weft::to_dag_json(newsroom());
    BOOST_TEST(text_at(dag, 0, "description") == R"("write: Write about {topic} as {\"json\"}.")");
    BOOST_TEST(text_at(dag, 0, "expectedOutput") == "\"A text on {topic}\"");
    BOOST_TEST(text_at(dag, 0, "agentRole") == "\"journalist\"");
    BOOST_TEST(text_at(dag, 1, "agentRole") == "\"(deterministic)\"");
    BOOST_TEST(text_at(dag, 0, "badge") == "\"START\"");
    BOOST_TEST(text_at(dag, 1, "badge") == "\"STATE\"");
    BOOST_TEST(text_at(dag, 3, "badge") == "\"END\"");
    BOOST_TEST(text_at(dag, 0, "visits") == "null");
    BOOST_TEST(fired(dag) == "00000");
    BOOST_TEST(dag.at("graphTerminationReason").is_null());
}

BOOST_AUTO_TEST_CASE(AGE_13_after_a_run_it_says_what_fired_how_often_and_why_it_ended)
{
    const weft::ensemble_graph news = newsroom();
    const weft::ensemble_result result = run_ensemble(news, on_rome());
    BOOST_TEST(path_of(result) == "write critique write critique");
    const json::object dag = weft::to_dag_json(news, result);
    BOOST_TEST(text_at(dag, 0, "description") == R"("write: Write about Rome as {\"json\"}.")");
    BOOST_TEST(text_at(dag, 0, "expectedOutput") == "\"A text on Rome\"");
    BOOST_TEST(text_at(dag, 0, "visits") == "2");
    BOOST_TEST(text_at(dag, 1, "visits") == "2");
    BOOST_TEST(text_at(dag, 2, "visits") == "0");
    BOOST_TEST(fired(dag) == "11010");
    BOOST_TEST(dag.at("graphTerminationReason").as_string() == "terminal");
    BOOST_TEST(dag.at("graphStepsRun").as_int64() == 4);
    BOOST_TEST(dag.at("graphStartStateId").as_string() == "0");
}

BOOST_AUTO_TEST_CASE(AGE_13_a_run_at_its_limit_says_so)
{
    const weft::ensemble_graph endless = weft::ensemble_graph::builder{}
                                             .name("endless")
                                             .state("a", counts())
                                             .edge("a", "a")
                                             .start("a")
                                             .max_steps(3)
                                             .build();
    const json::object dag = weft::to_dag_json(endless, run_ensemble(endless));
    BOOST_TEST(dag.at("graphTerminationReason").as_string() == "maxSteps");
    BOOST_TEST(text_at(dag, 0, "visits") == "3");
}

BOOST_AUTO_TEST_CASE(AGE_13_the_events_of_a_run_tell_what_a_run_did_that_throws)
{
    const weft::ensemble_graph broken =
        weft::ensemble_graph::builder{}
            .name("broken")
            .state("a", says("x"))
            .state("b", weft::ensemble_task{"", []() -> std::string { throw std::runtime_error{"no"}; }})
            .edge("a", "b")
            .edge("b", "__END__")
            .start("a")
            .build();
    weft::run_overlay_recorder recorder{broken.graph()};
    weft::ensemble_request request;
    request.on_event([&recorder](const weft::run_event& event) { recorder.add(event); });
    BOOST_CHECK_THROW((void)run_ensemble(broken, std::move(request)), std::runtime_error);
    weft::drawing_options options = weft::drawing_of(broken);
    options.overlay = recorder.overlay();
    const json::object dag = weft::to_dag_json(broken.graph(), options);
    BOOST_TEST(fired(dag) == "10");
    BOOST_TEST(text_at(dag, 1, "visits") == "1");
    BOOST_TEST(dag.at("graphTerminationReason").as_string() == "failed");
}

BOOST_AUTO_TEST_SUITE_END()
