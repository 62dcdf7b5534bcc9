#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/tool/rpc/json_rpc.hpp>

#include <boost/json/serialize.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(json_rpc_test)

using weft::errc;
using weft::json_rpc_id;
using weft::json_rpc_message;
using kind = weft::json_rpc_message::kind;

namespace {

errc refusal_of(std::string_view text)
{
    try {
        (void)json_rpc_message::parse(text);
    } catch (const weft::error& e) {
        return e.code();
    }
    return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_request_has_an_id_and_a_notification_has_none)
{
    const auto request = json_rpc_message::parse(R"({"jsonrpc":"2.0","id":7,"method":"a","params":{"x":1}})");
    BOOST_TEST((request.what() == kind::request));
    BOOST_TEST((request.id() == json_rpc_id{7}));
    BOOST_TEST(request.method() == "a");
    BOOST_TEST(request.params().at("x").as_int64() == 1);
    const auto notification = json_rpc_message::parse(R"({"jsonrpc":"2.0","method":"b"})");
    BOOST_TEST((notification.what() == kind::notification));
    BOOST_TEST(notification.params().empty());
}

BOOST_AUTO_TEST_CASE(ids_are_whole_numbers_or_texts_and_keep_their_type)
{
    const auto id_of = [](std::string id) {
        return *json_rpc_message::parse(R"({"jsonrpc":"2.0","result":{},"id":)" + id + "}").id();
    };
    BOOST_TEST((id_of("1") == json_rpc_id{1}));
    BOOST_TEST((id_of("1.0") == json_rpc_id{1}));
    BOOST_TEST((id_of("-3") == json_rpc_id{-3}));
    BOOST_TEST((id_of(R"("1")") == json_rpc_id{"1"}));
    BOOST_TEST((id_of(R"("1")") != json_rpc_id{1}));
    for (const char* wrong : {"1.5", "true", "{}", "[1]", "1e300"})
        BOOST_TEST((refusal_of(R"({"jsonrpc":"2.0","result":{},"id":)" + std::string{wrong} + "}") ==
                    errc::invalid_mcp_message));
}

BOOST_AUTO_TEST_CASE(what_is_no_message_is_refused)
{
    BOOST_TEST((refusal_of("{") == errc::invalid_json));
    BOOST_TEST((refusal_of("") == errc::invalid_json));
    for (const char* text : {
             R"([{"jsonrpc":"2.0","id":1,"method":"a"}])",              // a batch
             R"("text")",
             R"({"id":1,"method":"a"})",                                // no version
             R"({"jsonrpc":"1.0","id":1,"method":"a"})",
             R"({"jsonrpc":"2.0","id":null,"method":"a"})",
             R"({"jsonrpc":"2.0","id":1,"method":"a","params":[1]})",
             R"({"jsonrpc":"2.0","id":1,"method":5})",
             R"({"jsonrpc":"2.0","id":1})",
             R"({"jsonrpc":"2.0","result":{}})",                        // an answer to nothing
         })
        BOOST_TEST((refusal_of(text) == errc::invalid_mcp_message), text);
}

BOOST_AUTO_TEST_CASE(an_error_may_lack_its_id_and_much_else)
{
    const auto whole = json_rpc_message::parse(
        R"({"jsonrpc":"2.0","id":"e","error":{"code":-32602,"message":"no","data":{"a":1}},"result":null})");
    BOOST_TEST((whole.what() == kind::error));
    BOOST_TEST(whole.why().code == -32602);
    BOOST_TEST(whole.why().message == "no");
    BOOST_TEST(boost::json::serialize(whole.why().data) == R"({"a":1})");
    const auto bare = json_rpc_message::parse(R"({"jsonrpc":"2.0","id":null,"error":"broken"})");
    BOOST_TEST((bare.what() == kind::error));
    BOOST_TEST(!bare.id().has_value());
    BOOST_TEST(bare.why().message == R"("broken")");
}

BOOST_AUTO_TEST_CASE(what_is_written_stands_on_one_line_and_reads_back)
{
    const boost::json::object params{{"text", "a\nb"}};
    const auto request = json_rpc_message::request(json_rpc_id{"e1"}, "m", params);
    BOOST_TEST(request.text() == R"({"jsonrpc":"2.0","id":"e1","method":"m","params":{"text":"a\nb"}})");
    BOOST_TEST(json_rpc_message::notification("n", {}).text() == R"({"jsonrpc":"2.0","method":"n"})");
    BOOST_TEST(json_rpc_message::result(3, boost::json::object{}).text() == R"({"jsonrpc":"2.0","id":3,"result":{}})");
    weft::json_rpc_error why;
    why.code = -32601;
    why.message = "Method not found";
    BOOST_TEST(json_rpc_message::error(std::nullopt, why).text() ==
               R"({"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}})");
    BOOST_TEST((json_rpc_message::parse(request.text()).id() == request.id()));
}

BOOST_AUTO_TEST_SUITE_END()
