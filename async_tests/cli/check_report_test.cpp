#include "files.hpp"
#include "graph/check_report.hpp"
#include "terminal/exit_codes.hpp"

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(check_report_test)

namespace {

weft_cli::check_report check(const std::vector<std::string>& files)
{
    return weft_cli::check_files(files, weft_cli::graph_file_reader{{}});
}

/** Two branches write one key. */
std::string conflict(const folder& in)
{
    return in.write("conflict.json",
                    json_text("{'name': 'c', 'state': [{'name': 't'}], 'nodes': [{'name': 'a', 'writes': ['t']}, "
                           "{'name': 'b', 'writes': ['t']}], 'edges': [{'from': '__start__', 'to': 'a'}, "
                           "{'from': '__start__', 'to': 'b'}]}"));
}

std::string broken(const folder& in) { return in.write("broken.json", json_text("{'name': 'b', 'nodes': 1}")); }

}  // namespace

BOOST_AUTO_TEST_CASE(the_exit_code_is_that_of_the_worst)
{
    const folder in{"worst"};
    BOOST_TEST(check({sample("hello.json")}).exit_code(true) == weft_cli::all_good);
    BOOST_TEST(check({conflict(in)}).exit_code(false) == weft_cli::all_good);
    BOOST_TEST(check({conflict(in)}).exit_code(true) == weft_cli::has_failed);
    BOOST_TEST(check({sample("hello.json"), broken(in)}).exit_code(false) == weft_cli::has_failed);
    BOOST_TEST(check({broken(in), "/nowhere"}).exit_code(false) == weft_cli::wrong_usage);
}

BOOST_AUTO_TEST_CASE(one_line_sums_up)
{
    const folder in{"sum"};
    BOOST_TEST(weft_cli::summary_of(check({sample("hello.json")})) == "1 file: no errors, no warnings, no notes\n");
    BOOST_TEST(weft_cli::summary_of(check({conflict(in), broken(in), "/nowhere"})) ==
               "3 files: 1 error, 1 warning, no notes; 1 cannot be read\n"
               "taken for granted, as they belong to a C++ program: a, b\n");
}

BOOST_AUTO_TEST_CASE(programs_get_all_of_it_as_json)
{
    const folder in{"json"};
    const boost::json::object report = to_json(check({conflict(in), broken(in), "/nowhere"}));
    BOOST_TEST(report.at("warnings").to_number<int>() == 1);
    const boost::json::array& files = report.at("files").as_array();
    BOOST_TEST_REQUIRE(files.size() == 3U);
    BOOST_TEST(files[0].at("graph").as_string() == "c");
    BOOST_TEST(boost::json::serialize(files[0].at("functions")) == R"(["a","b"])");
    const boost::json::value& warning = files[0].at("problems").at(0);
    BOOST_TEST(warning.at("rule").as_string() == "possible_write_conflict");
    BOOST_TEST(warning.at("severity").as_string() == "warning");
    BOOST_TEST(warning.at("line").to_number<int>() == 1);
    BOOST_TEST(!warning.at("remedy").as_string().empty());
    const boost::json::value& error = files[1].at("problems").at(0);
    BOOST_TEST(error.at("path").as_string() == "$.nodes");
    BOOST_TEST(error.at("column").to_number<int>() == 24);
    BOOST_TEST(!error.as_object().contains("remedy"));
    BOOST_TEST(files[2].at("trouble").as_string() == "No such file or directory");
}

BOOST_AUTO_TEST_CASE(sarif_has_files_that_cannot_be_read_too)
{
    const folder in{"sarif"};
    const boost::json::object log = to_sarif(check({broken(in), "/nowhere"}));
    const boost::json::array& results = log.at("runs").at(0).at("results").as_array();
    BOOST_TEST_REQUIRE(results.size() == 2U);
    BOOST_TEST(results[0].at("ruleId").as_string() == "invalid_graph");
    BOOST_TEST(results[1].at("ruleId").as_string() == "unreadable_file");
    BOOST_TEST(results[1].at("level").as_string() == "error");
}

BOOST_AUTO_TEST_SUITE_END()
