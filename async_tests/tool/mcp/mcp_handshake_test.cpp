#include <boost/test/unit_test.hpp>

#include <weft/base/json.hpp>
#include <weft/tool/mcp/mcp_handshake.hpp>

#include <boost/test/data/test_case.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(mcp_handshake_test)

using weft::errc;
using weft::mcp_era_choice;
using weft::mcp_handshake;
using weft::mcp_wire;
using step = weft::mcp_handshake::step;

namespace {

/** What a server says: a result, an error, an HTTP status, or nothing. */
struct reply {
    const char* what;    // `result`, `error` or `silence`
    const char* json;    // of the result or error
    int http_status = 0;
};

void tell(mcp_handshake& handshake, const reply& said)
{
    const std::string what = said.what;
    if (what == "silence") return handshake.on_silence();
    if (what == "result") return handshake.on_result(weft::parse_json(said.json));
    weft::mcp_refusal refusal{said.http_status, std::nullopt};
    if (*said.json) {
        const auto whole = R"({"jsonrpc":"2.0","id":1,"error":)" + std::string{said.json} + "}";
        refusal.why = weft::json_rpc_message::parse(whole).why();
    }
    handshake.on_refusal(refusal);
}

std::string name_of(const mcp_handshake& handshake)
{
    switch (handshake.next()) {
    case step::discover: return "discover " + handshake.version();
    case step::initialize: return "initialize " + handshake.version();
    case step::done:
        return (handshake.agreement().era == weft::mcp_era::modern ? "modern " : "legacy ") +
               handshake.agreement().version;
    case step::failed: return std::string{weft::name_of(handshake.failure().code())};
    }
    return {};
}

constexpr const char* discovery = R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})";
constexpr const char* old_answer = R"({"protocolVersion":"2025-06-18","capabilities":{}})";
constexpr const char* no_method = R"({"code":-32601,"message":"Method not found"})";
constexpr const char* legacy_only =
    R"({"code":-32022,"message":"v","data":{"supported":["2025-11-25"],"requested":"2026-07-28"}})";

struct matrix_row {
    const char* name;
    mcp_wire wire;
    mcp_era_choice choice;
    std::vector<reply> replies;
    const char* end;
};

std::ostream& operator<<(std::ostream& out, const matrix_row& row) { return out << row.name; }

const auto pipe = mcp_wire::pipe;
const auto http = mcp_wire::http;
const auto automatic = mcp_era_choice::automatic;

const std::vector<matrix_row> matrix{
    {"pipe: a discovery is modern", pipe, automatic, {{"result", discovery}}, "modern 2026-07-28"},
    {"pipe: an unknown method is legacy", pipe, automatic, {{"error", no_method}}, "initialize 2025-11-25"},
    {"pipe: invalid params are legacy", pipe, automatic, {{"error", R"({"code":-32602,"message":"x"})"}},
     "initialize 2025-11-25"},
    {"pipe: a legacy code means nothing", pipe, automatic, {{"error", R"({"code":-32000,"message":"x"})"}},
     "initialize 2025-11-25"},
    {"pipe: silence is legacy", pipe, automatic, {{"silence", ""}}, "initialize 2025-11-25"},
    {"pipe: the whole legacy way", pipe, automatic, {{"silence", ""}, {"result", old_answer}}, "legacy 2025-06-18"},
    {"pipe: a wrong version names the legacy one", pipe, automatic, {{"error", legacy_only}}, "initialize 2025-11-25"},
    {"pipe: a wrong version names an older one", pipe, automatic,
     {{"error", R"({"code":-32022,"message":"v","data":{"supported":["1999-01-01","2025-03-26"]}})"}},
     "initialize 2025-03-26"},
    {"pipe: no common version", pipe, automatic,
     {{"error", R"({"code":-32022,"message":"v","data":{"supported":["2099-01-01"]}})"}}, "mcp_unsupported"},
    {"pipe: a wrong version without data", pipe, automatic, {{"error", R"({"code":-32022,"message":"v"})"}},
     "mcp_unsupported"},
    {"pipe: a discovery of other versions", pipe, automatic,
     {{"result", R"({"supportedVersions":["2025-11-25","2099-01-01"],"capabilities":{}})"}}, "initialize 2025-11-25"},
    {"pipe: a result that is no discovery", pipe, automatic, {{"result", "{}"}}, "initialize 2025-11-25"},
    {"pipe: a capability is missing", pipe, automatic,
     {{"error", R"({"code":-32021,"message":"c","data":{"requiredCapabilities":{"sampling":{}}}})"}}, "mcp_refused"},
    {"pipe: nothing at all", pipe, automatic, {{"silence", ""}, {"silence", ""}}, "timeout"},
    {"pipe: an unknown legacy version", pipe, automatic,
     {{"silence", ""}, {"result", R"({"protocolVersion":"2099-01-01"})"}}, "mcp_unsupported"},
    {"pipe: a refused initialize", pipe, automatic, {{"silence", ""}, {"error", no_method}}, "mcp_refused"},
    {"http: a discovery is modern", http, automatic, {{"result", discovery}}, "modern 2026-07-28"},
    {"http: 400 with a modern error and a legacy version", http, automatic, {{"error", legacy_only, 400}},
     "initialize 2025-11-25"},
    {"http: 400 with a header mismatch", http, automatic, {{"error", R"({"code":-32020,"message":"h"})", 400}},
     "mcp_refused"},
    {"http: 400 without a body", http, automatic, {{"error", "", 400}}, "initialize 2025-11-25"},
    {"http: 400 with a legacy error", http, automatic, {{"error", R"({"code":-32000,"message":"No session"})", 400}},
     "initialize 2025-11-25"},
    {"http: 404", http, automatic, {{"error", "", 404}}, "initialize 2025-11-25"},
    {"http: 405", http, automatic, {{"error", "", 405}}, "initialize 2025-11-25"},
    {"http: 200 with an unknown method", http, automatic, {{"error", no_method, 200}}, "initialize 2025-11-25"},
    {"http: a redirect says nothing about eras", http, automatic, {{"error", "", 307}}, "mcp_refused"},
    {"http: 401 says nothing about eras", http, automatic, {{"error", "", 401}}, "mcp_refused"},
    {"http: 403 says nothing about eras", http, automatic, {{"error", "", 403}}, "mcp_refused"},
    {"http: 429 says nothing about eras", http, automatic, {{"error", "", 429}}, "mcp_refused"},
    {"http: 503 says nothing about eras", http, automatic, {{"error", "", 503}}, "mcp_refused"},
    {"http: silence says nothing about eras", http, automatic, {{"silence", ""}}, "timeout"},
    {"http: the whole legacy way", http, automatic, {{"error", "", 400}, {"result", old_answer}}, "legacy 2025-06-18"},
    {"http: 400, 404: an address without a server", http, automatic, {{"error", "", 400}, {"error", "", 404}},
     "mcp_unsupported"},
    {"http: 405, 405: only the transport of 2024", http, automatic, {{"error", "", 405}, {"error", "", 405}},
     "mcp_unsupported"},
    {"modern only: an unknown method", pipe, mcp_era_choice::modern_only, {{"error", no_method}}, "mcp_unsupported"},
    {"modern only: silence", pipe, mcp_era_choice::modern_only, {{"silence", ""}}, "mcp_unsupported"},
    {"legacy only", pipe, mcp_era_choice::legacy_only, {{"result", old_answer}}, "legacy 2025-06-18"},
};

}  // namespace

BOOST_DATA_TEST_CASE(the_era_of_a_server_is_found, boost::unit_test::data::make(matrix), row)
{
    mcp_handshake handshake{row.wire, row.choice, "srv"};
    for (const reply& said : row.replies) tell(handshake, said);
    BOOST_TEST(name_of(handshake) == row.end);
}

BOOST_AUTO_TEST_CASE(the_first_question_is_by_choice)
{
    BOOST_TEST(name_of(mcp_handshake{pipe, automatic, ""}) == "discover 2026-07-28");
    BOOST_TEST(name_of(mcp_handshake{http, automatic, ""}) == "discover 2026-07-28");
    BOOST_TEST(name_of(mcp_handshake{http, mcp_era_choice::modern_only, ""}) == "discover 2026-07-28");
    BOOST_TEST(name_of(mcp_handshake{pipe, mcp_era_choice::legacy_only, ""}) == "initialize 2025-11-25");
}

BOOST_AUTO_TEST_CASE(what_the_server_says_of_itself_is_kept_and_made_harmless)
{
    mcp_handshake legacy{pipe, mcp_era_choice::legacy_only, "srv"};
    legacy.on_result(weft::parse_json(
        R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"logging":{}},
            "serverInfo":{"name":"s\u202ev","version":"2.1"},"instructions":"Use\u0007 it."})"));
    const weft::mcp_agreement& met = legacy.agreement();
    BOOST_TEST(met.server_name == "sv");
    BOOST_TEST(met.server_version == "2.1");
    BOOST_TEST(met.instructions == "Use it.");
    BOOST_TEST(met.offers("tools"));
    BOOST_TEST(met.tells_changes_of("tools"));
    BOOST_TEST(met.offers("logging"));
    BOOST_TEST(!met.tells_changes_of("logging"));
    BOOST_TEST(!met.offers("prompts"));

    mcp_handshake modern{http, automatic, "srv"};
    modern.on_result(weft::parse_json(
        R"({"supportedVersions":["2026-07-28"],"capabilities":{},
            "_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"3.0"}}})"));
    BOOST_TEST(modern.agreement().server_name == "new");
}

BOOST_AUTO_TEST_CASE(errors_say_what_to_do)
{
    mcp_handshake handshake{http, automatic, "mcp.example:443"};
    handshake.on_refusal({404, std::nullopt});
    handshake.on_refusal({404, std::nullopt});
    const std::string text = handshake.failure().what();
    BOOST_TEST(text.find("mcp.example:443") != std::string::npos);
    BOOST_TEST(text.find("check the path of the URL") != std::string::npos);
    BOOST_TEST(handshake.failure().said().http_status == 404);
}

BOOST_AUTO_TEST_SUITE_END()
