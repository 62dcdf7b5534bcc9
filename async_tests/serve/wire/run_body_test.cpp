#include <boost/test/unit_test.hpp>

#include "serve/order/assistants.hpp"
#include "serve/wire/run_body.hpp"
#include "serve/wire/views.hpp"

#include <weft/base/json.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/test/data/test_case.hpp>

BOOST_AUTO_TEST_SUITE(run_body_test)

using weft::serve_detail::read_run_body;
using weft::serve_detail::run_body;
using weft::serve_detail::stream_mode;

run_body read(std::string_view text)
{
    return read_run_body(weft::parse_json(text).get_object(), stream_mode::values);
}

BOOST_AUTO_TEST_CASE(what_a_client_leaves_out_has_its_default)
{
    const run_body body = read(R"({"assistant_id":"a","input":{"x":1},"metadata":null,"config":null,"unknown":1})");
    BOOST_TEST(body.assistant == "a");
    BOOST_TEST(body.input->at("x").as_int64() == 1);
    BOOST_TEST(body.view.modes.has(stream_mode::values));
    BOOST_TEST(!body.view.modes.has(stream_mode::updates));
    BOOST_TEST((body.on_busy == run_body::strategy::enqueue));
    BOOST_TEST(!body.resume);
    BOOST_TEST(!body.makes_thread);
    BOOST_TEST(!body.stops_with_client);
}

BOOST_AUTO_TEST_CASE(what_a_client_says_is_read)
{
    const run_body body = read(R"({"assistant_id":"a","command":{"resume":false,"update":{"y":2}},
        "stream_mode":["updates","messages-tuple"],"stream_subgraphs":true,"multitask_strategy":"interrupt",
        "if_not_exists":"create","on_disconnect":"cancel","webhook":"https://x/","config":{"recursion_limit":7},
        "checkpoint":{"checkpoint_id":"12","checkpoint_ns":""},"after_seconds":60,"metadata":{"m":1}})");
    BOOST_TEST(body.resume->as_bool() == false);
    BOOST_TEST(body.update->at("y").as_int64() == 2);
    BOOST_TEST(body.view.modes.has(stream_mode::updates));
    BOOST_TEST(body.view.modes.has(stream_mode::messages_tuple));
    BOOST_TEST(!body.view.modes.has(stream_mode::values));
    BOOST_TEST(body.view.has_subgraphs);
    BOOST_TEST((body.on_busy == run_body::strategy::interrupt));
    BOOST_TEST(body.makes_thread);
    BOOST_TEST(body.stops_with_client);
    BOOST_TEST(body.steps_max.value() == 7u);
    BOOST_TEST(body.checkpoint.value() == 12);
    BOOST_TEST(body.after_seconds.value() == 60);
}

struct row {
    std::string_view text;
    std::string_view named;
    friend std::ostream& operator<<(std::ostream& out, const row& r) { return out << r.text; }
};

BOOST_DATA_TEST_CASE(a_member_that_cannot_be_is_named,
                     boost::unit_test::data::make({
                         row{R"({})", "body.assistant_id"},
                         row{R"({"assistant_id":""})", "body.assistant_id"},
                         row{R"({"assistant_id":7})", "body.assistant_id"},
                         row{R"({"assistant_id":"a","input":[1]})", "body.input"},
                         row{R"({"assistant_id":"a","stream_mode":"all"})", "messages-tuple"},
                         row{R"({"assistant_id":"a","multitask_strategy":"wait"})", "enqueue, reject"},
                         row{R"({"assistant_id":"a","config":{"recursion_limit":0}})", "body.config.recursion_limit"},
                         row{R"({"assistant_id":"a","command":{"goto":"x"}})", "body.command.goto"},
                         row{R"({"assistant_id":"a","checkpoint_id":"x"})", "body.checkpoint_id"},
                         row{R"({"assistant_id":"a","interrupt_before":["n"]})", "body.interrupt_before"},
                         row{R"({"assistant_id":"a","after_seconds":-1})", "body.after_seconds"},
                         row{R"({"assistant_id":"a","stream_subgraphs":"yes"})", "body.stream_subgraphs"},
                     }),
                     row)
{
    BOOST_CHECK_EXCEPTION((void)read(row.text), weft::http_error, [&row](const weft::http_error& e) {
        return e.status() == 422 && std::string_view{e.what()}.find(row.named) != std::string_view::npos;
    });
}

BOOST_AUTO_TEST_CASE(a_graph_has_the_id_that_it_has_on_other_servers)
{
    // uuid.uuid5(UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8"), "agent") of Python.
    BOOST_TEST(weft::serve_detail::assistant_id_of("agent") == "fe096781-5601-53d2-b2f6-0d3403f7e9ca");
}

BOOST_AUTO_TEST_CASE(a_moment_is_written_as_python_does)
{
    const auto moment = std::chrono::system_clock::from_time_t(784111777) + std::chrono::microseconds{1234};
    BOOST_TEST(weft::serve_detail::iso_time(moment) == "1994-11-06T08:49:37.001234+00:00");
}

BOOST_AUTO_TEST_SUITE_END()
