// The official test suite of JSON Schema, if it is there: a checkout of json-schema-org/JSON-Schema-Test-Suite in
// build/interop/json-schema-test-suite, or where WEFT_JSON_SCHEMA_SUITE says.

#include "skipped.hpp"

#include <boost/test/unit_test.hpp>

#include <weft/base/json.hpp>
#include <weft/base/json_schema.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace {

namespace fs = std::filesystem;

fs::path suite()
{
    const char* const named = std::getenv("WEFT_JSON_SCHEMA_SUITE");
    return (named ? fs::path{named} : fs::path{WEFT_SOURCE_DIR} / "build/interop/json-schema-test-suite") / "tests";
}

struct suite_is_there {
    boost::test_tools::assertion_result operator()(boost::unit_test::test_unit_id) const
    {
        return fs::exists(suite() / "draft2020-12") || weft_tests::say_skipped("there is no " + suite().string());
    }
};

/** What a schema of the suite may use and weft refuses. */
bool uses_what_is_refused(const std::string& schema)
{
    constexpr std::array<std::string_view, 7> refused{R"("$dynamicRef")", R"("unevaluated)", R"("$anchor")",
                                                      R"("$id")", R"("$ref":"http)", R"(\\p{)", R"("$ref":"urn:)"};
    return std::any_of(refused.begin(), refused.end(),
                       [&](std::string_view word) { return schema.find(word) != std::string::npos; });
}

struct counts {
    std::size_t checked = 0;
    std::size_t refused = 0;
};

void check_group(const boost::json::object& group, const std::string& file, counts& seen)
{
    const std::string name = file + ": " + group.at("description").get_string().c_str();
    std::optional<weft::json_schema> schema;
    try {
        schema.emplace(group.at("schema"));
    } catch (const weft::error& e) {
        ++seen.refused;
        const bool may_be = uses_what_is_refused(boost::json::serialize(group.at("schema")));
        BOOST_TEST(may_be, name << " is refused: " << e.what());
        return;
    }
    for (const boost::json::value& test : group.at("tests").get_array()) {
        const auto mistakes = schema->mistakes(test.at("data"));
        const bool is_valid = test.at("valid").get_bool();
        ++seen.checked;
        BOOST_TEST(mistakes.empty() == is_valid, name << ": " << test.at("description").get_string().c_str() << ": "
                                                      << weft::text_of(mistakes));
        BOOST_TEST(schema->accepts(test.at("data")) == is_valid, name);
    }
}

void check_file(const fs::path& file, counts& seen)
{
    std::ifstream in{file, std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    const boost::json::value groups = weft::parse_json(text);
    for (const boost::json::value& group : groups.get_array())
        check_group(group.get_object(), file.filename().string(), seen);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(json_schema_suite_test)

BOOST_AUTO_TEST_CASE(the_official_cases_hold, *boost::unit_test::precondition(suite_is_there{}))
{
    constexpr std::array<std::string_view, 6> others{"refRemote",        "dynamicRef",            "anchor",
                                                     "unevaluatedItems", "unevaluatedProperties", "vocabulary"};
    counts seen;
    for (const auto& entry : fs::directory_iterator{suite() / "draft2020-12"}) {
        const std::string name = entry.path().stem().string();
        const bool is_other = std::find(others.begin(), others.end(), name) != others.end();
        if (entry.path().extension() == ".json" && !is_other) check_file(entry.path(), seen);
    }
    BOOST_TEST_MESSAGE(seen.checked << " cases checked, " << seen.refused << " schemas refused");
    BOOST_TEST(seen.checked > 900U);
    BOOST_TEST(seen.refused < 40U);
}

BOOST_AUTO_TEST_CASE(numbers_and_lengths_of_any_size_hold, *boost::unit_test::precondition(suite_is_there{}))
{
    counts seen;
    for (const std::string_view name : {"bignum", "float-overflow", "non-bmp-regex", "dependencies-compatibility"})
        if (const fs::path file = suite() / "draft2020-12/optional" / (std::string{name} + ".json"); fs::exists(file))
            check_file(file, seen);
    BOOST_TEST(seen.checked > 0U);
}

BOOST_AUTO_TEST_CASE(forms_of_draft_7_hold, *boost::unit_test::precondition(suite_is_there{}))
{
    counts seen;
    for (const std::string_view name : {"items", "additionalItems", "dependencies", "definitions"})
        if (const fs::path file = suite() / "draft7" / (std::string{name} + ".json"); fs::exists(file))
            check_file(file, seen);
    BOOST_TEST(seen.checked > 0U);
}

BOOST_AUTO_TEST_SUITE_END()
