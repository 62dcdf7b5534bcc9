#include <boost/test/unit_test.hpp>

#include "net/test_loop.hpp"
#include "openai_graphs.hpp"
#include "serve/server/server_life.hpp"

#include <string>

BOOST_AUTO_TEST_SUITE(conversation_test)

namespace {

using boost::json::value;

struct conversation_life {
    test_loop loop;
    weft::memory_store store;
    life server{loop, store, openai_graphs::all()};

    value post(std::string_view target, std::string body)
    {
        const answer got = server.post(target, std::move(body));
        BOOST_TEST_REQUIRE(got.status == 200, got.body);
        return got.json();
    }
    value items(const std::string& id)
    {
        return server.send("GET", "/v1/conversations/" + id + "/items?order=asc").json();
    }
};

std::string id_of(const value& object) { return std::string{object.at("id").as_string()}; }

std::string said(const value& response)
{
    return std::string{response.at("output").at(0).at("content").at(0).at("text").as_string()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_conversation_begins_with_its_items_and_keeps_what_is_said)
{
    conversation_life life;
    const value made = life.post("/v1/conversations",
                                 R"({"metadata":{"topic":"tea"},"items":[{"role":"user","content":"before"}]})");
    const std::string id = id_of(made);
    BOOST_TEST(id.starts_with("conv_"));
    BOOST_TEST(made.at("metadata").at("topic") == "tea");
    BOOST_TEST(life.items(id).at("data").as_array().size() == 1U);
    const value added = life.post("/v1/conversations/" + id + "/items",
                                  R"({"items":[{"role":"assistant","content":"then"}]})");
    BOOST_TEST(added.at("data").at(0).at("role") == "assistant");
    const std::string in_it = R"({"model":"chat","conversation":")" + id + R"(","input":")";
    BOOST_TEST(said(life.post("/v1/responses", in_it + R"(one"})")) == "You said: one (3)");
    const value second = life.post("/v1/responses", in_it + R"(two"})");
    BOOST_TEST(said(second) == "You said: two (5)");
    BOOST_TEST(id_of(second.at("conversation")) == id);
    BOOST_TEST(life.items(id).at("data").as_array().size() == 6U);
    // Nothing of it is shown as metadata of the thread by the other protocols.
    const value thread = life.server.send("GET", "/threads/" + id.substr(5)).json();
    BOOST_TEST(!thread.at("metadata").as_object().contains("weft.pending"));
}

BOOST_AUTO_TEST_CASE(items_are_added_shown_and_deleted_while_no_run_is_under_way)
{
    conversation_life life;
    const std::string id = id_of(life.post("/v1/conversations", "{}"));
    (void)life.post("/v1/responses", R"({"model":"chat","input":"one","conversation":{"id":")" + id + R"("}})");
    const std::string items = "/v1/conversations/" + id + "/items";
    const value added = life.post(items, R"({"items":[{"role":"user","content":"extra"}]})");
    const std::string item = std::string{added.at("data").at(0).at("id").as_string()};
    const answer shown = life.server.send("GET", items + "/" + item);
    BOOST_TEST(shown.json().at("content").at(0).at("text") == "extra", shown.body);
    BOOST_TEST(life.items(id).at("data").as_array().size() == 3U);
    const answer erased = life.server.send("DELETE", items + "/" + item);
    BOOST_TEST(id_of(erased.json()) == id, erased.body);
    BOOST_TEST(life.items(id).at("data").as_array().size() == 2U);
    BOOST_TEST(life.server.send("GET", items + "/" + item).status == 404);
    const answer next =
        life.server.post("/v1/responses", R"({"model":"chat","input":"two","conversation":")" + id + R"("})");
    BOOST_TEST(said(next.json()) == "You said: two (3)");
}

BOOST_AUTO_TEST_CASE(a_conversation_is_changed_and_deleted)
{
    conversation_life life;
    const std::string id = id_of(life.post("/v1/conversations", R"({"metadata":{"a":"1"}})"));
    const value changed = life.post("/v1/conversations/" + id, R"({"metadata":{"b":"2"}})");
    BOOST_TEST(changed.at("metadata").as_object().size() == 1U);
    BOOST_TEST(life.server.send("DELETE", "/v1/conversations/" + id).json().at("deleted") == true);
    const answer gone = life.server.send("GET", "/v1/conversations/" + id);
    BOOST_TEST(gone.status == 404);
    BOOST_TEST(gone.json().at("error").at("code") == "conversation_not_found");
}

BOOST_AUTO_TEST_CASE(a_conversation_has_one_response_at_a_time)
{
    conversation_life life;
    const std::string id = id_of(life.post("/v1/conversations", "{}"));
    const std::string in_it = R"({"model":"chat","conversation":")" + id + R"(","input":")";
    (void)life.post("/v1/responses", in_it + R"(wait 60000","background":true})");
    const answer locked = life.server.post("/v1/responses", in_it + R"(two"})");
    BOOST_TEST(locked.status == 409);
    BOOST_TEST(locked.json().at("error").at("code") == "conversation_locked");
}

BOOST_AUTO_TEST_CASE(bad_items_are_refused_with_their_place)
{
    conversation_life life;
    const answer wrong = life.server.post("/v1/conversations", R"({"items":[{"role":"wizard","content":"x"}]})");
    BOOST_TEST(wrong.status == 400);
    BOOST_TEST(wrong.json().at("error").at("param") == "items[0].role");
    BOOST_TEST(life.server.post("/v1/conversations", R"({"items":7})").status == 400);
    BOOST_TEST(life.server.post("/v1/conversations", R"({"metadata":[]})").status == 400);
}

BOOST_AUTO_TEST_SUITE_END()
