#include <boost/test/unit_test.hpp>

#include "graph/spec_samples.hpp"

#include <fstream>

#include <unistd.h>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(graph_spec_files_test)

namespace {

/** A folder of graph files that is there as long as the test. */
class folder {
public:
    explicit folder(std::string_view name)
        : path_{std::filesystem::temp_directory_path() /
                ("weft_graph_files_" + std::string{name} + "." + std::to_string(::getpid()))}
    {
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_ / "inner");
    }
    ~folder() { std::filesystem::remove_all(path_); }

    void write(const std::string& name, const std::string& text) const { std::ofstream{path_ / name} << text; }
    void link(const std::filesystem::path& to, const std::string& name) const
    {
        std::filesystem::create_symlink(to, path_ / name);
    }
    [[nodiscard]] std::vector<std::string> mistakes(const std::string& name) const
    {
        std::vector<std::string> result;
        try {
            (void)weft::load_graph_file(path_ / name, {});
        } catch (const weft::graph_spec_error& e) {
            for (const weft::spec_mistake& mistake : e.mistakes())
                result.push_back(std::filesystem::path{mistake.file}.filename().string() + " " + mistake.path + ": " +
                                 mistake.text);
        }
        return result;
    }

private:
    std::filesystem::path path_;
};

std::string naming(std::string_view file)
{
    return spec_text("'nodes': [{'name': 'in', 'kind': 'subgraph', 'settings': {'graph': '" + std::string{file} +
                     "'}}], 'edges': [{'from': '__start__', 'to': 'in'}]");
}
const std::string leaf
    = spec_text("'nodes': [{'name': 'x', 'kind': 'join'}], 'edges': [{'from': '__start__', 'to': 'x'}]");

}  // namespace

BOOST_AUTO_TEST_CASE(names_are_relative_to_the_file_that_has_them)
{
    const folder in{"relative"};
    in.write("a.json", naming("inner/b.json"));
    in.write("inner/b.json", naming("c.json"));
    in.write("inner/c.json", naming("../d.json"));
    in.write("d.json", leaf);
    BOOST_TEST(in.mistakes("a.json").empty());
}

BOOST_AUTO_TEST_CASE(W8_a_link_does_not_lead_out_of_the_folder)
{
    const folder outside{"outside"};
    outside.write("secret.json", "secret");
    const folder in{"links"};
    in.write("leaf.json", leaf);
    in.link(std::filesystem::temp_directory_path() /
                ("weft_graph_files_outside." + std::to_string(::getpid())) / "secret.json",
            "out.json");
    in.link("leaf.json", "inside.json");
    in.write("a.json", naming("out.json"));
    in.write("b.json", naming("inside.json"));
    const std::vector<std::string> found = in.mistakes("a.json");
    BOOST_REQUIRE(found.size() == 1u);
    BOOST_TEST(found[0] == "a.json $.nodes[0].settings.graph: 'out.json' leads out of the folder of the first file by "
                           "a link: name a file in it");
    BOOST_TEST(in.mistakes("b.json").empty());
}

BOOST_AUTO_TEST_CASE(W10_a_byte_order_mark_is_skipped_and_another_encoding_is_named)
{
    const folder in{"marks"};
    in.write("marked.json", "\xef\xbb\xbf" + leaf);
    BOOST_TEST(in.mistakes("marked.json").empty());
    in.write("wrong.json", "\xef\xbb\xbf" "{,");
    BOOST_TEST(in.mistakes("wrong.json").at(0).find("this is no JSON") != std::string::npos);
    in.write("wide.json", "\xff\xfe{");
    BOOST_TEST(in.mistakes("wide.json").at(0) == "wide.json $: the text is UTF-16: save it as UTF-8");
}

BOOST_AUTO_TEST_CASE(a_circle_of_files_is_told)
{
    const folder in{"circle"};
    in.write("a.json", naming("inner/b.json"));
    in.write("inner/b.json", naming("../a.json"));
    BOOST_TEST(lacks(in.mistakes("a.json"), {"b.json $.nodes[0].settings.graph: the graph contains itself: a.json -> "
                                             "inner/b.json -> a.json"}) == "");
    in.write("self.json", naming("self.json"));
    BOOST_TEST(lacks(in.mistakes("self.json"), {"contains itself: self.json -> self.json"}) == "");
}

BOOST_AUTO_TEST_CASE(files_elsewhere_and_missing_ones_are_refused)
{
    const folder in{"elsewhere"};
    in.write("a.json", naming("../weft.json"));
    BOOST_TEST(lacks(in.mistakes("a.json"), {"outside the folder"}) == "");
    in.write("b.json", naming("/etc/hostname"));
    BOOST_TEST(lacks(in.mistakes("b.json"), {"outside the folder"}) == "");
    in.write("c.json", naming("nope.json"));
    BOOST_TEST(lacks(in.mistakes("c.json"), {"the file 'nope.json' cannot be read"}) == "");
    in.write("d.json", naming("inner"));
    BOOST_TEST(lacks(in.mistakes("d.json"), {"the file 'inner' cannot be read"}) == "");
    BOOST_TEST(lacks(in.mistakes("e.json"), {"the file cannot be read"}) == "");
    BOOST_TEST(lacks(mistakes_in(naming("a.json")), {"was not read from a file"}) == "");
}

BOOST_AUTO_TEST_CASE(mistakes_of_inner_files_name_them_and_come_once)
{
    const folder in{"inner_mistakes"};
    in.write("a.json", spec_text("'nodes': [{'name': 'p', 'kind': 'subgraph', 'settings': {'graph': 'b.json'}}, "
                                 "{'name': 'q', 'kind': 'subgraph', 'settings': {'graph': 'b.json'}}], "
                                 "'edges': [{'from': '__start__', 'to': 'p'}, {'from': 'p', 'to': 'q'}]"));
    in.write("b.json", spec_text("'nodes': [{'name': 'x', 'kind': 'jion'}]"));
    BOOST_TEST(lacks(in.mistakes("a.json"), {"b.json $.nodes[0].kind", "'join'?"}) == "");
}

BOOST_AUTO_TEST_CASE(graphs_inside_graphs_end_somewhere)
{
    std::string inner = leaf;
    for (int i = 0; i < 14; ++i)
        inner = spec_text("'nodes': [{'name': 'in', 'kind': 'subgraph', 'settings': {'graph': " + inner +
                          "}}], 'edges': [{'from': '__start__', 'to': 'in'}]");
    BOOST_TEST(mistakes_in(inner).empty());
    const folder in{"deep"};
    for (int i = 0; i < 30; ++i)
        in.write(std::to_string(i) + ".json", i < 29 ? naming(std::to_string(i + 1) + ".json") : leaf);
    BOOST_TEST(lacks(in.mistakes("0.json"), {"16.json", "more than 16 graphs are inside one another"}) == "");
}

BOOST_AUTO_TEST_CASE(an_inner_graph_takes_no_limits_that_nobody_would_keep)
{
    const auto inner = [](std::string_view members) {
        return mistakes_in(spec_text("'nodes': [{'name': 'in', 'kind': 'subgraph', 'settings': {'graph': {'name': 'i', "
                                     "'nodes': [{'name': 'x', 'kind': 'join'}], 'edges': [{'from': '__start__', 'to': "
                                     "'x'}], " + std::string{members} + "}}}], 'edges': [{'from': '__start__', 'to': "
                                     "'in'}]"));
    };
    BOOST_TEST(inner("'limits': {'steps_max': 5}").empty());
    BOOST_TEST(lacks(inner("'limits': {'elapsed_max': '1s'}"), {"$.nodes[0].settings.graph.limits.elapsed_max"}) == "");
    BOOST_TEST(lacks(inner("'limits': {'budget': {}}"), {"$.nodes[0].settings.graph.limits.budget"}) == "");
    BOOST_TEST(lacks(inner("'goal': {'name': 'g'}"), {"$.nodes[0].settings.graph.goal"}) == "");
}

BOOST_AUTO_TEST_CASE(mappings_of_inner_graphs_name_keys_of_both)
{
    const auto mapped = [](std::string_view mapping) {
        return mistakes_in(spec_text("'state': [{'name': 'outer', 'type': 'string'}], 'nodes': [{'name': 'in', 'kind': "
                                     "'subgraph', 'settings': {" + std::string{mapping} + ", 'graph': {'name': 'i', "
                                     "'state': [{'name': 'inner', 'type': 'string'}, {'name': 'n', 'type': 'number'}], "
                                     "'nodes': [{'name': 'x', 'kind': 'join'}], 'edges': [{'from': '__start__', 'to': "
                                     "'x'}]}}}], 'edges': [{'from': '__start__', 'to': 'in'}]"));
    };
    BOOST_TEST(mapped("'inputs': {'inner': 'outer'}, 'outputs': {'outer': 'inner'}").empty());
    BOOST_TEST(lacks(mapped("'inputs': {'iner': 'outer'}"),
        {"the graph 'i' has no key 'iner' (did you mean 'inner'?)"}) == "");
    BOOST_TEST(lacks(mapped("'outputs': {'outre': 'inner'}"), {"there is no key 'outre' (did you mean 'outer'?)"})
        == "");
    BOOST_TEST(lacks(mapped("'inputs': {'n': 'outer'}"), {"different types"}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
