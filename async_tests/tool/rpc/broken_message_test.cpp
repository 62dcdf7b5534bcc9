#include <boost/test/unit_test.hpp>

#include "tool/rpc/broken_message.hpp"

#include <optional>
#include <string>

BOOST_AUTO_TEST_SUITE(broken_message_test)

namespace {

/** The id as text; empty if there is none. */
std::string id_in(std::string_view broken)
{
    const std::optional<weft::json_rpc_id> id = weft::mcp_detail::answered_id(broken);
    return id ? weft::text_of(*id) : std::string{};
}

}  // namespace

BOOST_AUTO_TEST_CASE(F8_the_id_of_an_answer_is_found_wherever_it_stands)
{
    BOOST_TEST(id_in(R"({"jsonrpc":"2.0","id":7,"result":{oops}})") == "7");
    BOOST_TEST(id_in(R"({"result":)" + std::string(70, '[') + std::string(70, ']') + R"(, "id" : 8 })") == "8");
    BOOST_TEST(id_in(R"({"id":"e1","error":)") == R"("e1")");
    BOOST_TEST(id_in(R"({"result":{"text":"{\"id\":1, } \\"},"id":9,)") == "9");
    BOOST_TEST(id_in("  {\"result\":\"a\nb\",\"id\":10") == "10");
}

BOOST_AUTO_TEST_CASE(F8_ids_of_other_things_are_not_taken)
{
    BOOST_TEST(id_in(R"({"result":{"id":7},"x":oops})") == "");
    BOOST_TEST(id_in(R"({"id":7,"method":"ping","params":oops})") == "");
    BOOST_TEST(id_in(R"({"result":"id\":7)") == "");
    BOOST_TEST(id_in(R"({"id":null,"result":oops})") == "");
    BOOST_TEST(id_in(R"([{"id":7}])") == "");
    BOOST_TEST(id_in(R"({"id":)") == "");
    BOOST_TEST(id_in("{\"") == "");
    BOOST_TEST(id_in("") == "");
}

BOOST_AUTO_TEST_SUITE_END()
