#include <boost/test/unit_test.hpp>

#include "net/test_loop.hpp"
#include "openai_graphs.hpp"
#include "serve/server/server_life.hpp"
#include "tool/own_directory.hpp"

#include <weft/store/sqlite_store.hpp>

#include <memory>
#include <string>
#include <string_view>

// SQLite answers from an OS thread of its own: of two requests at once each has looked at the thread before the run
// of the other one is there. Without the claim that decides between them (`is_first_behind`) each round fails.
BOOST_AUTO_TEST_SUITE(sqlite_continuations_test)

namespace {

std::string text_of_response(const answer& got)
{
    BOOST_TEST_REQUIRE(got.status == 200, got.body);
    return std::string{got.json().at("output").at(0).at("content").at(0).at("text").as_string()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(two_that_follow_one_response_at_once_do_not_hear_each_other)
{
    const weft_tests::own_directory directory{"continuations"};
    test_loop loop;
    started opening{loop, weft::sqlite_store::open(weft::sqlite_options{(directory.path() / "weft.db").string()})};
    const std::unique_ptr<weft::sqlite_store> store = opening.result();
    life one{loop, weft::server_stores{*store}, openai_graphs::all()};
    life other{loop, weft::server_stores{*store}, openai_graphs::all()};
    for (int round = 0; round < 6; ++round) {
        const answer first = one.post("/v1/responses", R"({"model":"chat","input":"one"})");
        BOOST_TEST(text_of_response(first) == "You said: one (1)");
        const std::string behind{first.json().at("id").as_string()};
        const auto continued = [&](life& at, std::string_view words) {
            weft::http_request request = at.request_to("POST", "/v1/responses");
            request.body(R"({"model":"chat","input":")" + std::string{words} + R"(","previous_response_id":")" +
                             behind + R"("})",
                         "application/json");
            return fetch(weft::http_client{}, std::move(request));
        };
        started left{loop, continued(one, "left")};
        started right{loop, continued(other, "right")};
        // Each has three messages before it: what was said first, the answer, and its own.
        BOOST_TEST(text_of_response(left.result()) == "You said: left (3)");
        BOOST_TEST(text_of_response(right.result()) == "You said: right (3)");
    }
}

BOOST_AUTO_TEST_SUITE_END()
