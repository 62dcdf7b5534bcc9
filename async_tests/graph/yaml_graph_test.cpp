#include <boost/test/unit_test.hpp>

#include "spec_samples.hpp"

#include <weft/graph/graph_spec_writer.hpp>
#include <weft/graph/spec/spec_places.hpp>

#include <boost/json/serialize.hpp>

#include <fstream>
#include <initializer_list>
#include <iterator>
#include <utility>

#include <unistd.h>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(yaml_graph_test)

namespace {

weft::spec_reader_options as_yaml()
{
    weft::spec_reader_options options;
    options.format = weft::graph_file_format::yaml;
    return options;
}

weft::graph_spec spec_in(std::string_view text) { return weft::read_graph_spec(text, as_yaml()); }

std::vector<std::string> yaml_mistakes_in(std::string_view text) { return mistakes_in(text, {}, as_yaml()); }

/** A graph whose only node sets a key to a value of the file. */
std::string graph_with(std::string_view value)
{
    return "name: g\nstate: [{name: k, type: any}]\nedges: [{from: __start__, to: n}]\n"
           "nodes:\n- name: n\n  kind: set\n  settings:\n    values:\n      k: " + std::string{value};
}

/** The value as JSON writes it, or the mistakes. */
std::string read_value(std::string_view value)
{
    try {
        const weft::graph_spec spec = spec_in(graph_with(value));
        return boost::json::serialize(spec.nodes.at(0).settings.at("values").as_object().at("k"));
    } catch (const weft::graph_spec_error& e) {
        std::string all;
        for (const weft::spec_mistake& mistake : e.mistakes())
            all += std::to_string(mistake.line) + ":" + std::to_string(mistake.column) + " " + mistake.path + ": " +
                   mistake.text + "\n";
        return all;
    }
}

bool says(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

const std::string small = "name: g\nnodes: [{name: a, kind: join}]\nedges: [{from: __start__, to: a}]\n";

}  // namespace

BOOST_AUTO_TEST_CASE(every_sample_in_json_is_the_same_graph_when_it_is_read_as_yaml)
{
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator{graph_samples()}) {
        if (entry.path().extension() != ".json") continue;
        std::ifstream file{entry.path()};
        const std::string text{std::istreambuf_iterator<char>{file}, {}};
        BOOST_TEST((spec_in(text) == weft::read_graph_spec(text)), entry.path());
        BOOST_TEST((spec_in(weft::to_text(spec_in(text))) == spec_in(text)), entry.path());
        ++count;
    }
    BOOST_TEST(count == 12U);
}

BOOST_AUTO_TEST_CASE(a_yaml_file_may_have_a_byte_order_mark_and_lines_of_windows)
{
    std::string text = "\xef\xbb\xbf" + small;
    for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 2)) text.replace(at, 1, "\r\n");
    BOOST_TEST((spec_in(text) == spec_in(small)));
    BOOST_TEST((spec_in("%YAML 1.2\n---\n" + small + "...\n# the end\n") == spec_in(small)));
}

BOOST_AUTO_TEST_CASE(scalars_are_those_of_the_core_schema)
{
    for (const auto& [text, value] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
             {"yes", R"("yes")"}, {"no", R"("no")"}, {"on", R"("on")"}, {"off", R"("off")"}, {"y", R"("y")"},
             {"true", "true"}, {"False", "false"}, {"TRUE", "true"}, {"tRUE", R"("tRUE")"},
             {"null", "null"}, {"~", "null"}, {"", "null"}, {"NULL", "null"}, {"nULL", R"("nULL")"},
             {"12", "12"}, {"+12", "12"}, {"-3", "-3"}, {"007", "7"}, {"0o17", "15"}, {"0xfF", "255"},
             {"0x", R"("0x")"}, {"0o8", R"("0o8")"}, {"0b1", R"("0b1")"}, {"1_000", R"("1_000")"},
             {"12:30", R"("12:30")"}, {"2026-11-23", R"("2026-11-23")"}, {"1.2.3", R"("1.2.3")"},
             {"9223372036854775807", "9223372036854775807"}, {"18446744073709551615", "18446744073709551615"},
             {"1.", "1E0"}, {".5", "5E-1"}, {"-.5e+1", "-5E0"}, {".", R"(".")"}, {"e3", R"("e3")"}, {"1e", R"("1e")"},
             {"'12'", R"("12")"}, {"\"true\"", R"("true")"}, {"! 12", R"("12")"}, {"\"\\u00e4\"", "\"\u00e4\""},
             {"[a, 1, {b: ~}]", R"(["a",1,{"b":null}])"}, {"{1: 2, true: 3}", R"({"1":2,"true":3})"}})
        BOOST_TEST(read_value(text) == value, text << " is " << read_value(text));
}

BOOST_AUTO_TEST_CASE(numbers_are_as_exact_as_in_json)
{
    for (const char* const text : {"0.1", "2.2250738585072011e-308", "9007199254740993", "1.7976931348623157e308",
                                   "123456789012345678901234567890", "0.30000000000000004", "5e-324"}) {
        const std::string json =
            R"({"name": "g", "nodes": [{"name": "n", "kind": "set", "settings": {"values": {"k": )" +
            std::string{text} + "}}}]}";
        const auto of_json = weft::read_graph_spec(json).nodes.at(0).settings.at("values").as_object().at("k");
        BOOST_TEST(read_value(text) == boost::json::serialize(of_json), text);
    }
}

BOOST_AUTO_TEST_CASE(texts_of_several_lines_are_as_they_stand_there)
{
    BOOST_TEST(read_value("|\n        a\n          b\n\n        c\n") == R"("a\n  b\n\nc\n")");
    BOOST_TEST(read_value(">-\n        a\n        b\n\n        c\n") == R"("a b\nc")");
    BOOST_TEST(read_value("a # remark\n") == R"("a")");
}

BOOST_AUTO_TEST_CASE(an_alias_is_a_copy_and_its_mistakes_are_where_the_value_stands)
{
    BOOST_TEST(read_value("[&a [1, {b: c}], *a, &n 7, *n]") == R"([[1,{"b":"c"}],[1,{"b":"c"}],7,7])");
    const std::vector<std::string> found = yaml_mistakes_in(
        "name: g\nnodes:\n- {name: a, kind: join, retry: &r {attempts_max: many}}\n- {name: b, kind: join, retry: *r}\n"
        "edges: [{from: __start__, to: a}, {from: a, to: b}]\n");
    BOOST_TEST_REQUIRE(found.size() == 2U);
    BOOST_TEST(says(found[0], "3:50 $.nodes[0].retry.attempts_max: "), found[0]);
    BOOST_TEST(says(found[1], "3:50 $.nodes[1].retry.attempts_max: "), found[1]);
}

BOOST_AUTO_TEST_CASE(all_mistakes_of_a_yaml_file_come_at_once_with_their_places)
{
    const std::vector<std::string> found = yaml_mistakes_in("name: g\n"
                                                            "name: h\n"
                                                            "nodes:\n"
                                                            "  - name: \u00e4\u00e4\n"
                                                            "    kind: jion\n"
                                                            "    settings: !!map {}\n"
                                                            "  - {name: b, kind: join, colour: red}\n"
                                                            "edges:\n"
                                                            "  - from: __start__\n"
                                                            "    to: bb\n"
                                                            "  - {? [x] : 1, from: b, to: b}\n");
    BOOST_TEST_REQUIRE(found.size() == 5U);
    BOOST_TEST(found[0] == "2:1 $.name: there is a member 'name' already: keep one");
    BOOST_TEST(says(found[1], "5:11 $.nodes[0].kind: there is no kind 'jion' (did you mean 'join'?)"), found[1]);
    BOOST_TEST(says(found[2], "6:15 $.nodes[0].settings: tags, as !!str, are not read"), found[2]);
    BOOST_TEST(says(found[3], "7:27 $.nodes[1].colour: "), found[3]);
    BOOST_TEST(says(found[4], "11:8 $.edges[1]: the name of a member is a text"), found[4]);  // names may be lost
    BOOST_TEST(lacks(yaml_mistakes_in("name: g\nnodes:\n- name: a\n  kind: join\nedges:\n- from: __start__\n"
                                      "  to: b\n"),
                     {"7:7 $.edges[0].to: there is no node 'b'; known"}) == "");
}

BOOST_AUTO_TEST_CASE(a_mistake_of_syntax_says_what_to_do)
{
    const auto only = [](std::string_view text) {
        const std::vector<std::string> found = yaml_mistakes_in(text);
        return found.size() == 1 ? found.front() : std::to_string(found.size()) + " mistakes";
    };
    const std::string no_yaml = ": this is no YAML: ";
    BOOST_TEST(says(only("name: g\nnodes:\n\t- a\n"), "3:2 $" + no_yaml + "the line is indented by a tab"));
    BOOST_TEST(says(only("name: g\ngoal: a: b\n"), "2:8 $" + no_yaml + "this ':' ends no name"));
    BOOST_TEST(says(only("name: g\nnodes: [a, b\n"), no_yaml + "a ']' is missing"));
    BOOST_TEST(says(only("name: g\nnodes: {a: 1\n"), no_yaml + "a '}' is missing"));
    BOOST_TEST(says(only("name: g\n- a\n"), "2:1 $" + no_yaml + "the members of this object do not stand in one"));
    BOOST_TEST(says(only("name: @g\n"), "1:7 $" + no_yaml + "a text that begins with '@'"));
    BOOST_TEST(says(only("name: *g\n"), "1:7 $" + no_yaml + "there is no anchor of this name"));
    BOOST_TEST(says(only("name: 'g\nnodes: []\n"), "1:7 $" + no_yaml + "the quotation mark that begins here"));
    BOOST_TEST(says(only("name: g\ngoal: \"it\\\"s\n"), "2:7 $" + no_yaml + "the quotation mark that begins here"));
    BOOST_TEST(says(only("name: \xff\n"), "1:7 $: the text is no UTF-8"));
    BOOST_TEST(says(only("name: \x04g\n"), "1:7 $" + no_yaml + "a control character"));
    BOOST_TEST(says(only(""), "1:1 $: expected an object"));
    BOOST_TEST(says(only("- a\n"), "1:1 $: expected an object"));
}

BOOST_AUTO_TEST_CASE(what_yaml_has_and_json_has_not_is_refused)
{
    BOOST_TEST(lacks(yaml_mistakes_in(small + "---\n" + small), {"4:1 $: the text goes on behind the graph"}) == "");
    BOOST_TEST(lacks(yaml_mistakes_in(small + "<<: {goal: x}\n"), {"4:1 $: '<<' joins objects in YAML 1.1"}) == "");
    BOOST_TEST(lacks(yaml_mistakes_in(small + "~: 1\n"), {"4:1 $: a member has no name here"}) == "");
    BOOST_TEST(says(read_value("&a [*a]"), ": this alias is inside the value that it stands for"));
    BOOST_TEST(says(read_value("{&a b: c, d: *a}"), ": this alias stands for the name of a member"));
    BOOST_TEST(says(read_value("[&a x, {*a : c}]"), ": an alias cannot be the name of a member"));
    BOOST_TEST(says(read_value("!!binary aGk="), "9:10 $.nodes[0].settings.values.k: tags"));
}

BOOST_AUTO_TEST_CASE(a_yaml_text_is_bounded_in_depth_size_and_copies)
{
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    const std::string deep = read_value(nested(70));
    BOOST_TEST(says(deep, "nested deeper than 64"), deep);
    // Without their ends yaml-cpp takes them for the name of a member.
    BOOST_TEST(says(yaml_mistakes_in(std::string(200'000, '[')).at(1), "nested deeper than 64"));
    BOOST_TEST(says(yaml_mistakes_in(std::string(200'000, '{')).at(1), "nested deeper than 64"));
    std::string dashes;
    for (int i = 0; i < 100'000; ++i) dashes += "- ";
    BOOST_TEST(says(yaml_mistakes_in(dashes).at(0), "nested deeper than 64"));
    // Deep only by its aliases.
    std::string chain = "&a0 " + nested(40);
    for (int i = 1; i < 3; ++i)
        chain += ", &a" + std::to_string(i) + " [[[[[[[[[[[[[[[*a" + std::to_string(i - 1) + "]]]]]]]]]]]]]]]";
    BOOST_TEST(says(read_value("[" + chain + "]"), "nested deeper than 64"));
    // A billion laughs.
    std::string laughs = "&a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]";
    for (int i = 1; i < 10; ++i) {
        const std::string before = "*a" + std::to_string(i - 1);
        laughs += ", &a" + std::to_string(i) + " [" + before;
        for (int k = 1; k < 9; ++k) laughs += ", " + before;
        laughs += "]";
    }
    BOOST_TEST(says(read_value("[" + laughs + "]"), "the aliases of this text make it too large"));
    const std::string large = "# " + std::string(std::size_t{1} << 20, 'a') + "\n" + small;
    BOOST_TEST(lacks(yaml_mistakes_in(large), {"1:1 $: the text has more than 1048576 bytes", "as JSON"}) == "");
    BOOST_TEST((weft::read_graph_spec(weft::to_text(spec_in(small))) == spec_in(small)));
}

BOOST_AUTO_TEST_CASE(files_of_both_formats_name_each_other)
{
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("weft_yaml_graphs." + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const auto write = [&](const char* name, const std::string& text) { std::ofstream{folder / name} << text; };
    const auto outer = [](const std::string& of) {
        return "name: outer\nnodes: [{name: in, kind: subgraph, settings: {graph: " + of +
               "}}]\nedges: [{from: __start__, to: in}]\n";
    };
    write("a.yaml", outer("b.json"));
    write("b.json", R"({"name": "b", "nodes": [{"name": "in", "kind": "subgraph", "settings": {"graph": "c.yml"}}],)"
                    R"("edges": [{"from": "__start__", "to": "in"}]})");
    write("c.yml", small);
    write("bad.yaml", outer("worse.yml"));
    write("worse.yml", "name: g\nnodes: [{name: a, kind: jion}]\nedges: [{from: __start__, to: a}]\n");
    write("yaml.txt", small);
    const auto mistakes = [&](const char* name) -> std::string {
        try {
            (void)weft::load_graph_file(folder / name, {});
        } catch (const weft::graph_spec_error& e) {
            return e.mistakes().front().to_text();
        }
        return {};
    };
    BOOST_TEST(mistakes("a.yaml") == "");
    BOOST_TEST(says(mistakes("bad.yaml"), "worse.yml:2:25: $.nodes[0].kind: there is no kind 'jion'"));
    BOOST_TEST(says(mistakes("yaml.txt"), "this is no JSON: syntax error; call a YAML file .yaml or .yml"));
    std::filesystem::remove_all(folder);
}

BOOST_AUTO_TEST_CASE(values_of_a_yaml_text_are_found_by_path)
{
    const weft::spec_places places{"name: g\nnodes:\n  - name: a\n  - name:\n", weft::graph_file_format::yaml};
    const weft::json_path whole;
    const weft::json_path nodes{whole, "nodes"};
    const weft::json_path second{nodes, 1};
    const weft::json_path name{second, "name"};
    BOOST_TEST((places.of(second) == weft::text_position{4, 5}));
    BOOST_TEST((places.of(name) == weft::text_position{4, 5}));  // nothing is written behind it
    const weft::json_path third{nodes, 2};
    BOOST_TEST((places.of(third) == places.of(nodes)));
}

BOOST_AUTO_TEST_SUITE_END()
