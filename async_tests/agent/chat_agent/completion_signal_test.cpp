#include <weft/agent/chat_agent/completion_signal.hpp>

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <stdexcept>

BOOST_AUTO_TEST_SUITE(completion_signal_test)

using weft::agent_stop;
using weft::completion_notice;
using weft::completion_signal;

BOOST_AUTO_TEST_CASE(SUL_18_a_notice_is_told_once)
{
    std::vector<completion_signal> heard;
    {
        completion_notice notice{"t", [&](const completion_signal& signal) { heard.push_back(signal); }};
        completion_signal done;
        done.stop = agent_stop::done;
        BOOST_TEST(notice.tell(done));
        BOOST_TEST(!notice.tell(done));
    }
    BOOST_REQUIRE(heard.size() == 1u);
    BOOST_TEST((heard[0].stop == agent_stop::done));
}

BOOST_AUTO_TEST_CASE(SUL_18_what_goes_untold_was_aborted)
{
    std::vector<completion_signal> heard;
    {
        const completion_notice notice{"t", [&](const completion_signal& signal) { heard.push_back(signal); }};
    }
    BOOST_REQUIRE(heard.size() == 1u);
    BOOST_TEST((heard[0].stop == agent_stop::aborted));
    BOOST_TEST(heard[0].thread == "t");
    BOOST_TEST(heard[0].waiting_for_user);
}

BOOST_AUTO_TEST_CASE(what_a_watcher_throws_is_its_own_affair)
{
    completion_notice notice{"t", [](const completion_signal&) { throw std::runtime_error{"no"}; }};
    BOOST_TEST(notice.tell({}));
    completion_notice silent{"t", {}};
    BOOST_TEST(silent.tell({}));
}

BOOST_AUTO_TEST_CASE(SUL_1_the_signal_has_the_form_of_the_wire)
{
    completion_signal signal;
    signal.thread = "t";
    signal.stop = agent_stop::max_loops;
    BOOST_TEST(boost::json::serialize(wire_form(signal)) ==
               R"({"type":"transfer_data","data":{"role":"system","content":"graph_execution_complete",)"
               R"("stopReason":"max_loops","waitingForUser":false,"thread_id":"t"}})");
}

BOOST_AUTO_TEST_CASE(the_status_of_a_run_comes_before_that_of_its_agent)
{
    weft::run_result result;
    result.status = weft::run_status::paused;
    BOOST_TEST((completion_of(result, "t").stop == agent_stop::paused));
    result.status = weft::run_status::cancelled;
    BOOST_TEST((completion_of(result, "t").stop == agent_stop::aborted));
    BOOST_TEST(completion_of(result, "t").waiting_for_user);
    result.status = weft::run_status::failed;
    BOOST_TEST((completion_of(result, "t").stop == agent_stop::failed));
    result.status = weft::run_status::finished;
    result.was_cut_short = true;
    BOOST_TEST((completion_of(result, "t").stop == agent_stop::max_loops));
}

BOOST_AUTO_TEST_SUITE_END()
