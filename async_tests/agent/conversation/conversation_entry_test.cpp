#include <boost/test/unit_test.hpp>

#include <weft/agent/conversation/conversation_entry.hpp>
#include <weft/base/error.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>

BOOST_AUTO_TEST_SUITE(conversation_entry_test)

namespace {

weft::conversation_entry whole()
{
    weft::conversation_entry entry;
    entry.kind = weft::entry_kind::summary;
    entry.message = weft::message::user("short");
    entry.from.lane = "write";
    entry.from.phase = "draft";
    entry.from.node = "n";
    entry.from.visit = 3;
    entry.from.run = "r-1";
    entry.from.at.emplace(std::chrono::milliseconds{1'700'000'000'123});
    entry.from.author = weft::message_author::program;
    entry.is_pinned = true;
    entry.label = "summary";
    entry.id = 77;
    entry.covers = {{1, 4}, {6, 7}};
    return entry;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_entry_converts_to_json_and_back)
{
    BOOST_TEST((weft::from_json<weft::conversation_entry>(weft::to_json(whole())) == whole()));
    weft::conversation_entry plain;
    plain.message = weft::message::user("hello");
    BOOST_TEST(boost::json::serialize(weft::to_json(plain)) == R"({"message":{"role":"user","content":"hello"}})");
    BOOST_TEST((weft::from_json<weft::conversation_entry>(weft::to_json(plain)) == plain));
}

BOOST_AUTO_TEST_CASE(what_is_no_entry_is_refused_with_its_path)
{
    const auto says = [](std::string_view part) {
        return [part](const weft::error& e) {
            return e.code() == weft::errc::unexpected_json && std::string_view{e.what()}.find(part) != part.npos;
        };
    };
    const auto read = [](std::string_view text) {
        (void)weft::from_json<weft::conversation_entry>(weft::parse_json(text));
    };
    BOOST_CHECK_EXCEPTION(read("{}"), weft::error, says("message"));
    BOOST_CHECK_EXCEPTION(read(R"({"message":{"role":"user"},"visit":"two"})"), weft::error, says("visit"));
    BOOST_CHECK_EXCEPTION(read(R"({"message":{"role":"user"},"kind":"other"})"), weft::error, says("kind"));
    BOOST_CHECK_EXCEPTION(read(R"({"message":{"role":"user"},"covers":[[1]]})"), weft::error, says("covers"));
}

BOOST_AUTO_TEST_CASE(a_change_converts_too)
{
    weft::conversation_change change;
    change.entry = whole();
    change.entry.covers.clear();
    change.covers = {{4, 99}, {5, 100}};
    BOOST_TEST((weft::from_json<weft::conversation_change>(weft::to_json(change)) == change));
}

BOOST_AUTO_TEST_SUITE_END()
