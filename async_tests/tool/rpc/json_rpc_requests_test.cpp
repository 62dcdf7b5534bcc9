#include <boost/test/unit_test.hpp>

#include "tool/rpc/json_rpc_requests.hpp"

#include <optional>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(json_rpc_requests_test)

using weft::json_rpc_id;
using weft::json_rpc_message;
using weft::json_rpc_requests;

namespace {

struct noting_caller final : weft::json_rpc_caller {
    void on_answer(json_rpc_message answer) override { answers.push_back(weft::text_of(*answer.id())); }
    void on_progress(const boost::json::object& params) override
    {
        progress.push_back(params.at("progress").as_int64());
    }
    void on_lost(const weft::error& why) override { lost = why.code(); }
    std::vector<std::string> answers;
    std::vector<std::int64_t> progress;
    std::optional<weft::errc> lost;
};

json_rpc_message answer_to(json_rpc_id id) { return json_rpc_message::result(std::move(id), boost::json::object{}); }

boost::json::object progress_of(boost::json::value token)
{
    return {{"progressToken", std::move(token)}, {"progress", 5}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(answers_find_their_callers_in_any_order)
{
    json_rpc_requests table;
    noting_caller a, b, c;
    const std::int64_t first = table.open(a), second = table.open(b), third = table.open(c);
    BOOST_TEST(table.settle(answer_to(third)));
    BOOST_TEST(table.settle(answer_to(first)));
    BOOST_TEST(table.settle(answer_to(second)));
    BOOST_TEST((a.answers == std::vector<std::string>{"0"} && b.answers == std::vector<std::string>{"1"} &&
                c.answers == std::vector<std::string>{"2"}));
    BOOST_TEST(table.pending() == 0);
    BOOST_TEST(table.dropped() == 0);
}

BOOST_AUTO_TEST_CASE(an_answer_to_nobody_is_dropped_and_counted)
{
    json_rpc_requests table;
    noting_caller caller;
    const std::int64_t id = table.open(caller);
    BOOST_TEST(!table.settle(answer_to(id + 1)));
    BOOST_TEST(!table.settle(answer_to(std::to_string(id))));  // a text is another id than the number
    BOOST_TEST(!table.settle(json_rpc_message::error(std::nullopt, {})));
    table.close(id);
    BOOST_TEST(!table.settle(answer_to(id)));  // too late
    BOOST_TEST(table.dropped() == 4);
    BOOST_TEST(caller.answers.empty());
    BOOST_TEST(table.open(caller) != id);
}

BOOST_AUTO_TEST_CASE(a_second_answer_is_dropped)
{
    json_rpc_requests table;
    noting_caller caller;
    const std::int64_t id = table.open(caller);
    BOOST_TEST(table.settle(answer_to(id)));
    BOOST_TEST(!table.settle(answer_to(id)));
    BOOST_TEST(caller.answers.size() == 1);
}

BOOST_AUTO_TEST_CASE(progress_goes_to_the_request_of_its_token)
{
    json_rpc_requests table;
    noting_caller a, b;
    (void)table.open(a);
    const std::int64_t id = table.open(b);
    BOOST_TEST(table.progress(progress_of(id)));
    BOOST_TEST(!table.progress(progress_of(id + 7)));
    BOOST_TEST(!table.progress(progress_of("1")));
    BOOST_TEST(!table.progress(boost::json::object{{"progress", 1}}));
    BOOST_TEST(a.progress.empty());
    BOOST_TEST(b.progress == std::vector<std::int64_t>{5}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_table_is_bounded)
{
    json_rpc_requests table{2};
    noting_caller caller;
    const std::int64_t first = table.open(caller);
    (void)table.open(caller);
    BOOST_CHECK_EXCEPTION((void)table.open(caller), weft::error,
                          [](const weft::error& e) { return e.code() == weft::errc::limit_reached; });
    table.close(first);
    BOOST_CHECK_NO_THROW((void)table.open(caller));
}

BOOST_AUTO_TEST_CASE(a_lost_connection_is_told_to_all_who_wait)
{
    json_rpc_requests table;
    noting_caller a, b, answered;
    const std::int64_t done = table.open(answered);
    (void)table.open(a);
    (void)table.open(b);
    (void)table.settle(answer_to(done));
    table.lose(weft::error{weft::errc::connection_lost});
    BOOST_TEST((a.lost == weft::errc::connection_lost && b.lost == weft::errc::connection_lost));
    BOOST_TEST(!answered.lost.has_value());
    BOOST_TEST(table.pending() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
