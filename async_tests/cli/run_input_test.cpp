#include "files.hpp"
#include "graph/run_input.hpp"

#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>

#include <boost/test/unit_test.hpp>

#include <sstream>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(run_input_test)

namespace {

const weft::graph_spec& keys()
{
    static const weft::graph_spec spec = [] {
        weft::graph_spec made;
        for (const char* const type : {"string", "integer", "number", "boolean", "list", "object", "any", "address"})
            made.state.push_back({.name = std::string{type} + "_key", .type = type});
        return made;
    }();
    return spec;
}

std::string read(const std::vector<std::string>& words, const std::string& standard_input = "")
{
    std::istringstream from{standard_input};
    return weft::to_json_text(weft_cli::read_inputs(words, keys(), from));
}

void refuses(const std::vector<std::string>& words, const std::vector<std::string>& parts,
             const std::string& standard_input = "")
{
    try {
        BOOST_ERROR("accepted: " + read(words, standard_input));
    } catch (const weft_cli::usage_error& e) {
        for (const std::string& part : parts) BOOST_TEST(has(e.what(), part), e.what() << " has no " << part);
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_type_of_the_key_says_how_a_value_is_read)
{
    BOOST_TEST(read({"string_key=7"}) == R"({"string_key":"7"})");
    BOOST_TEST(read({"string_key={\"a\"=1}"}) == R"({"string_key":"{\"a\"=1}"})");
    BOOST_TEST(read({"string_key="}) == R"({"string_key":""})");
    BOOST_TEST(read({"integer_key=-7"}) == R"({"integer_key":-7})");
    BOOST_TEST(read({"number_key=7"}) == R"({"number_key":7})");
    BOOST_TEST(read({"boolean_key=true"}) == R"({"boolean_key":true})");
    BOOST_TEST(read({"list_key=[1,\"a\"]"}) == R"({"list_key":[1,"a"]})");
    BOOST_TEST(read({"object_key={\"a\":null}"}) == R"({"object_key":{"a":null}})");
    BOOST_TEST(read({"any_key=null"}) == R"({"any_key":null})");
    BOOST_TEST(read({"address_key={\"street\":\"x\"}"}) == R"({"address_key":{"street":"x"}})");
}

BOOST_AUTO_TEST_CASE(a_value_that_does_not_fit_is_refused_with_one_that_would)
{
    refuses({"integer_key=high"}, {"--input integer_key=high", "is an integer", "--input 'integer_key=3'"});
    refuses({"integer_key=0.5"}, {"is an integer"});
    refuses({"number_key=\"1\""}, {"is a number"});
    refuses({"boolean_key=1"}, {"is a boolean", "=true"});
    refuses({"list_key=a,b"}, {"is a list", "[\"a\", \"b\"]"});
    refuses({"object_key=[]"}, {"is an object"});
    refuses({"any_key=word"}, {"any JSON value", "\"some text\""});
    refuses({"address_key=word"}, {"of the type 'address'"});
    refuses({"string_key=\xff"}, {"UTF-8"});
}

BOOST_AUTO_TEST_CASE(W6_a_number_that_json_does_not_have_is_refused_with_key_and_path)
{
    refuses({R"(object_key={"a":-1e999})"}, {"--input object_key=", "'object_key' at $.a", "too large"});
    refuses({"list_key=[0,[1e999]]"}, {"'list_key' at $[1][0]"});
    refuses({"number_key=1e999"}, {"'number_key' at $:"});
    refuses({"@-"}, {"standard input", "'any_key' at $.b[0]"}, R"({"any_key":{"a":1,"b":[1e999]}})");
}

BOOST_AUTO_TEST_CASE(W6_text_that_is_no_json_is_refused_with_its_place)
{
    refuses({"list_key=[1,"}, {"'list_key' is a list", "line 1, column 4", "ends too early"});
}

BOOST_AUTO_TEST_CASE(an_unknown_key_is_refused_with_a_suggestion)
{
    refuses({"strin_key=x"}, {"no key 'strin_key'", "did you mean 'string_key'?"});
    refuses({"=x"}, {"--input =x"});
    refuses({"string_key"}, {"--input string_key", "="});
}

BOOST_AUTO_TEST_CASE(objects_come_from_files_and_from_standard_input)
{
    const folder work{"run_input"};
    const std::string file = work.write("in.json", R"({"string_key":"file","integer_key":1})");
    BOOST_TEST(read({"@" + file}) == R"({"string_key":"file","integer_key":1})");
    BOOST_TEST(read({"@" + file, "integer_key=2"}) == R"({"string_key":"file","integer_key":2})");
    BOOST_TEST(read({"integer_key=2", "@-"}, R"({"integer_key":3})") == R"({"integer_key":3})");
    refuses({"@-"}, {"standard input", "line 1"}, "{");
    refuses({"@-"}, {"standard input", "object of values by key"}, "[]");
    refuses({"@-"}, {"standard input", "no key 'x'"}, R"({"x":1})");
    refuses({"@-"}, {"standard input", "'integer_key' is an integer"}, R"({"integer_key":"1"})");
    refuses({"@nowhere.json"}, {"cannot read nowhere.json"});
}

BOOST_AUTO_TEST_CASE(a_span_is_a_number_with_its_unit_or_refused_with_the_name_of_its_option)
{
    BOOST_TEST((weft_cli::span_of("--drain", "30s", "5s") == std::chrono::seconds{30}));
    BOOST_CHECK_EXCEPTION(static_cast<void>(weft_cli::span_of("--drain", "soon", "5s")), weft_cli::usage_error,
                          [](const weft_cli::usage_error& e) {
                              return std::string_view{e.what()} ==
                                     "--drain soon: write a whole number and a unit, e.g. 5s";
                          });
}

BOOST_AUTO_TEST_SUITE_END()
