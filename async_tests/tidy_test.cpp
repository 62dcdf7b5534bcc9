#include "tidy/await_forms.hpp"
#include "tidy/function_lengths.hpp"
#include "tidy/house.hpp"
#include "tidy/rules.hpp"
#include "tidy/source_text.hpp"
#include "tidy/std_includes.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace {

using weft_tidy::mistakes;
using weft_tidy::project;
using weft_tidy::source_text;
using rule = std::function<void(const source_text&, mistakes&)>;

void check_project(const rule& check)
{
    mistakes found;
    for (const source_text& source : project()) check(source, found);
    for (const std::string& mistake : found) BOOST_ERROR(mistake);
    BOOST_TEST(project().size() > 50);
}

// How many mistakes a rule finds in a text.
std::size_t count(const rule& check, const std::string& path, const std::string& content)
{
    mistakes found;
    check(source_text{path, content}, found);
    return found.size();
}

bool exists(const std::string& path)
{
    return std::any_of(project().begin(), project().end(), [&](const auto& s) { return s.path == path; });
}

void print_longest(const std::string& what, std::vector<std::pair<std::size_t, std::string>> lengths)
{
    std::sort(lengths.rbegin(), lengths.rend());
    lengths.resize(std::min<std::size_t>(lengths.size(), 10));
    std::cout << "The longest " << what << ":\n";
    for (const auto& [lines, name] : lengths) std::cout << "  " << lines << "  " << name << '\n';
}

bool is_product(const source_text& source)
{
    return source.is_cpp() && (source.is_under("include/") || source.is_under("lib/") || source.is_under("cli/"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tidy_test)

BOOST_AUTO_TEST_CASE(include_arrows_point_down)
{
    const weft_tidy::house plan{project()};
    check_project([&](const source_text& source, mistakes& found) { weft_tidy::check_floors(source, plan, found); });
}

BOOST_AUTO_TEST_CASE(a_wrong_include_is_refused)
{
    const std::vector<source_text> sources = {
        {"cmake/WeftFloors.cmake", "weft_floor(base 0 ROOMS text\n    json)\nweft_floor(async 1)\n"
                                   "weft_floor(chat 1)\nweft_floor(cli 2 ROOMS run .)\nweft_floor(testing 3)\n"},
        {"include/weft/base/front.hpp", "#include <weft/base/text/low.hpp>\n"},
        {"lib/base/json/front.cpp", ""},
        {"include/weft/base/plain.hpp", "#include <weft/base/front.hpp>\n"},
    };
    const weft_tidy::house plan{sources};
    const rule check = [&](const source_text& source, mistakes& found) { check_floors(source, plan, found); };
    const auto from = [&](const std::string& path, const std::string& file) {
        return count(check, path, "#include " + file + "\n");
    };
    // Floors.
    BOOST_TEST(from("lib/async/x.cpp", "<weft/base/front.hpp>") == 0U);
    BOOST_TEST(from("include/weft/base/text/x.hpp", "<weft/async/y.hpp>") == 1U);
    BOOST_TEST(from("lib/chat/x.cpp", "<weft/async/y.hpp>") == 1U);
    BOOST_TEST(from("lib/async/x.cpp", "<weft/testing/y.hpp>") == 1U);
    BOOST_TEST(from("lib/testing/x.cpp", "<weft/async/y.hpp>") == 0U);
    BOOST_TEST(from("lib/async/x.cpp", "<weft/weft.hpp>") == 1U);
    BOOST_TEST(from("lib/misc/x.cpp", "<vector>") == 1U);
    BOOST_TEST(from("lib/async/x.cpp", "<weft/misc/y.hpp>") == 1U);
    // Rooms.
    BOOST_TEST(from("lib/base/json/x.cpp", "\"base/text/y.hpp\"") == 0U);
    BOOST_TEST(from("lib/base/text/x.cpp", "\"base/json/y.hpp\"") == 1U);
    BOOST_TEST(from("lib/base/text/x.cpp", "\"y.hpp\"") == 0U);
    BOOST_TEST(from("lib/base/other/x.cpp", "<vector>") == 1U);
    BOOST_TEST(from("lib/base/text/x.cpp", "<weft/base/front.hpp>") == 1U);
    BOOST_TEST(from("lib/base/text/x.cpp", "<weft/base/plain.hpp>") == 1U);
    BOOST_TEST(from("lib/base/json/x.cpp", "<weft/base/plain.hpp>") == 0U);
    BOOST_TEST(from("cli/x.cpp", "\"run/y.hpp\"") == 0U);
    BOOST_TEST(from("cli/run/x.cpp", "\"cli/y.hpp\"") == 1U);
    // Internal headers.
    BOOST_TEST(from("lib/async/x.cpp", "\"base/json/y.hpp\"") == 1U);
    BOOST_TEST(from("lib/async/x.cpp", "\"../base/y.hpp\"") == 1U);
    BOOST_TEST(from("include/weft/base/json/x.hpp", "\"base/json/y.hpp\"") == 1U);
}

BOOST_AUTO_TEST_CASE(folders_can_be_looked_over)
{
    mistakes found;
    weft_tidy::check_folders(project(), found);
    for (const std::string& mistake : found) BOOST_ERROR(mistake);
    std::vector<source_text> many;
    for (int i = 0; i < 41; ++i) many.emplace_back("lib/a/" + std::to_string(i) + ".cpp", "");
    found.clear();
    weft_tidy::check_folders(many, found);
    BOOST_TEST(found.size() == 1U);
}

BOOST_AUTO_TEST_CASE(headers_include_what_they_use_of_the_standard_library)
{
    check_project([](const source_text& source, mistakes& found) {
        weft_tidy::check_std_includes(source, project(), found);
    });
}

BOOST_AUTO_TEST_CASE(a_header_that_lives_on_the_includes_of_others_is_refused)
{
    const std::vector<source_text> sources = {
        {"include/weft/base/a.hpp", "#pragma once\n#include <string>\nstd::string a();\n"},
        {"include/weft/base/b.hpp", "#pragma once\n#include <weft/base/a.hpp>\nstd::string b(std::vector<int>);\n"},
        {"include/weft/base/c.hpp", "#pragma once\n#include <boost/json.hpp>\nstd::string c();  // std::map\n"},
    };
    mistakes found;
    for (const source_text& source : sources) weft_tidy::check_std_includes(source, sources, found);
    BOOST_TEST(found == (mistakes{"include/weft/base/b.hpp:3: uses std::vector: include <vector>",
                                  "include/weft/base/c.hpp:3: uses std::string: include <string>"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(headers_are_included_once_and_light) { check_project(weft_tidy::check_headers); }

BOOST_AUTO_TEST_CASE(a_heavy_header_is_refused)
{
    const rule check = weft_tidy::check_headers;
    BOOST_TEST(count(check, "include/weft/net/x.hpp", "#pragma once\n#include <boost/beast/http.hpp>\n") == 1U);
    BOOST_TEST(count(check, "include/weft/net/x.hpp", "#pragma once\n#include <boost/json/value.hpp>\n") == 0U);
    BOOST_TEST(count(check, "lib/net/x.hpp", "#include <openssl/ssl.h>\n") == 1U);
}

BOOST_AUTO_TEST_CASE(calls_that_have_a_better_form_are_not_made) { check_project(weft_tidy::check_calls); }

BOOST_AUTO_TEST_CASE(a_banned_call_is_refused)
{
    const rule check = weft_tidy::check_calls;
    BOOST_TEST(count(check, "lib/engine/x.cpp", "auto t = std::chrono::steady_clock::now();\n") == 1U);
    BOOST_TEST(count(check, "lib/base/system/clock.cpp", "auto t = std::chrono::steady_clock::now();\n") == 0U);
    BOOST_TEST(count(check, "lib/engine/x.cpp", "int i = std::rand();\n") == 1U);
    BOOST_TEST(count(check, "lib/engine/x.cpp", "int operand = 1'000; // rand()\n/* rand\n */ auto s = \"rand\";\n") ==
               0U);
    BOOST_TEST(count(check, "lib/engine/x.cpp", "auto s = R\"x(\" rand)x\"; char c = '\"'; int i = rand();\n") == 1U);
    BOOST_TEST(count(check, "samples/x.cpp", "asio::co_spawn(io, f(), asio::detached);\n") == 1U);
    BOOST_TEST(count(check, "lib/net/x.cpp", "auto v = boost::json::parse(text);\n") == 1U);
    BOOST_TEST(count(check, "lib/net/x.cpp", "json::parse_options o; json_rpc_message::parse(text);\n") == 0U);
    BOOST_TEST(count(check, "cli/x.cpp", "boost::json::stream_parser parser;\n") == 1U);
    BOOST_TEST(count(check, "lib/net/x.cpp", "static_assert(true);\nBOOST_ASSERT(true);\n") == 0U);
}

BOOST_AUTO_TEST_CASE(W14_messages_hold_for_files_as_for_cpp) { check_project(weft_tidy::check_messages); }

BOOST_AUTO_TEST_CASE(W14_a_message_that_speaks_cpp_is_refused)
{
    const rule check = weft_tidy::check_messages;
    BOOST_TEST(count(check, "lib/a/x.cpp", "f(\"raise run_options::steps_max\");\n") == 1U);
    BOOST_TEST(count(check, "cli/x.cpp", "f(std::string{a} +\n  \"::model\" + 'x');\n") == 1U);
    BOOST_TEST(count(check, "cli/x.cpp", "f(R\"(one\nweft::two\n)\");\n") == 1U);
    BOOST_TEST(count(check, "lib/a/x.cpp", "f(std::string{\"raise `steps_max`\"}, a::b); // \"a::b\"\n") == 0U);
    BOOST_TEST(count(check, "lib/a/x.cpp", "f(\"[::1] $2::int8 )::int8\", \"a:\", ':', b::c, \"d\");\n") == 0U);
    BOOST_TEST(count(check, "lib/testing/x.cpp", "f(\"call crash_round::end_with\");\n") == 0U);
}

BOOST_AUTO_TEST_CASE(awaits_are_written_as_every_compiler_understands_them)
{
    check_project([](const source_text& source, mistakes& found) {
        if (is_product(source) || source.is_under("samples/")) weft_tidy::check_awaits(source, found);
    });
}

BOOST_AUTO_TEST_CASE(awaits_that_are_compiled_wrongly_are_found_and_no_others)
{
    const auto traps = std::find_if(project().begin(), project().end(),
                                    [](const source_text& s) { return s.path == "scripts/coroutine_traps.cpp"; });
    BOOST_REQUIRE((traps != project().end()));
    mistakes found;
    weft_tidy::check_awaits(*traps, found);
    std::size_t expected = 0;
    for (std::size_t i = 0; i < traps->lines.size(); ++i) {
        if (!traps->lines[i].ends_with("// trap")) continue;
        ++expected;
        const std::string place = traps->path + ":" + std::to_string(i + 1) + ": ";
        BOOST_TEST(std::any_of(found.begin(), found.end(), [&](const auto& one) { return one.starts_with(place); }),
                   place);
    }
    BOOST_TEST(found.size() == expected);
    BOOST_TEST(expected > 15U);

    const rule check = weft_tidy::check_awaits;
    BOOST_TEST(count(check, "lib/a.cpp", "auto f = [&] { co_return co_await g(); };\n") == 0U);
    BOOST_TEST(count(check, "lib/a.cpp", "for (auto& x : co_await f()) use(x);\n") == 0U);
    BOOST_TEST(count(check, "lib/a.cpp", "if (bool yes = co_await f(); yes) g();\n") == 0U);
    BOOST_TEST(count(check, "lib/a.cpp", "task<int> a() { int x = co_await f(\n    c ? 1 : 2); }\n") == 1U);
    BOOST_TEST(count(check, "lib/a.cpp", "h(co_await f(), c ? 1 : 2); // co_await x{1}\n") == 0U);
    BOOST_TEST(count(check, "lib/a.cpp", "int y = g(co_await f()) ? 1 : 2;\n") == 1U);
}

BOOST_AUTO_TEST_CASE(lines_are_clean) { check_project(weft_tidy::check_lines); }

BOOST_AUTO_TEST_CASE(an_unclean_line_is_refused)
{
    const rule check = weft_tidy::check_lines;
    const std::string later = std::string{"TO"} + "DO";
    BOOST_TEST(count(check, "lib/base/x.cpp", "int x; \n\tint y;\n") == 2U);
    BOOST_TEST(count(check, "lib/base/x.cpp", "// " + later + ": more\n") == 1U);
    BOOST_TEST(count(check, "lib/base/x.cpp", std::string(121, 'x') + "\n") == 1U);
    BOOST_TEST(count(check, "docs/x.md", std::string(121, 'x') + "\n") == 0U);
    BOOST_TEST(count(check, "docs/x.md", std::string(7, '<') + " ours\n" + std::string(7, '>') + " theirs\n") == 2U);
}

BOOST_AUTO_TEST_CASE(pages_and_samples_name_the_thing_that_acts)
{
    check_project(weft_tidy::check_words);
    BOOST_TEST(count(weft_tidy::check_words, "docs/x.md", "Nobody reads it.\nIt is told to whoever asks.\n") == 2U);
    BOOST_TEST(count(weft_tidy::check_words, "docs/a/x.md", "(somebody)\n") == 1U);
    BOOST_TEST(count(weft_tidy::check_words, "README.md", "**Nobody**\n") == 1U);
    BOOST_TEST(count(weft_tidy::check_words, "samples/a/x.cpp", "f();  // if somebody asks\n") == 1U);
    BOOST_TEST(count(weft_tidy::check_words, "docs/x.md", "\"nobody\" is a word; `nobody_knows` is a name\n") == 0U);
    BOOST_TEST(count(weft_tidy::check_words, "lib/base/x.cpp", "// nobody\n") == 0U);
}

BOOST_AUTO_TEST_CASE(a_page_has_one_title)
{
    check_project(weft_tidy::check_titles);
    BOOST_TEST(count(weft_tidy::check_titles, "docs/x.md", "# One\n## Two\n```sh\n# comment\n```\n") == 0U);
    BOOST_TEST(count(weft_tidy::check_titles, "docs/x.md", "# One\n# Two\n") == 1U);
    BOOST_TEST(count(weft_tidy::check_titles, "docs/x.md", "none\n```\n") == 2U);
}

BOOST_AUTO_TEST_CASE(what_pages_name_is_there)
{
    check_project([](const source_text& source, mistakes& found) { check_mentions(source, project(), found); });
    const std::vector<source_text> files = {{"docs/A.md", ""},
                                            {"include/weft/base/a.hpp", "class a_thing;\nvoid call();\n"}};
    const rule check = [&](const source_text& source, mistakes& found) { check_mentions(source, files, found); };
    BOOST_TEST(count(check, "docs/B.md", "[a](A.md#part), `weft/base/a.hpp`, [b](https://x/y.md)\n") == 0U);
    BOOST_TEST(count(check, "README.md", "[a](docs/A.md), [b](docs/B.md)\n") == 1U);
    BOOST_TEST(count(check, "docs/B.md", "[a](../A.md), `weft/base/b.hpp`\n") == 2U);
    BOOST_TEST(count(check, "docs/B.md", "| `a_thing` | `weft/base/a.hpp` | |\n") == 0U);
    BOOST_TEST(count(check, "docs/B.md", "| `x::call()` | `weft/base/a.hpp` | |\n") == 0U);
    BOOST_TEST(count(check, "docs/B.md", "| `thing` | `weft/base/a.hpp` | |\n") == 1U);
}

BOOST_AUTO_TEST_CASE(code_on_pages_is_cut_from_samples)
{
    check_project([](const source_text& source, mistakes& found) { check_samples(source, project(), found); });
}

BOOST_AUTO_TEST_CASE(code_that_differs_from_its_sample_is_refused)
{
    const std::vector<source_text> samples = {
        {"samples/x.cpp", "{\n    // [run]\n    f();\n\n      g();\n    // [/run]\n}\n"}};
    const rule check = [&](const source_text& source, mistakes& found) { check_samples(source, samples, found); };
    const std::string intro = "# Title\n<!-- sample: samples/x.cpp [run] -->\n```cpp\n";
    BOOST_TEST(count(check, "README.md", intro + "f();\n\n  g();\n```\n") == 0U);
    BOOST_TEST(count(check, "README.md", intro + "f();\n\n  h();\n```\n") == 1U);
    BOOST_TEST(count(check, "README.md", intro + "f();\n\n  g();\n  h();\n```\n") == 1U);
    BOOST_TEST(count(check, "README.md", intro + "f();\n") == 1U);
    BOOST_TEST(count(check, "README.md", "<!-- sample: samples/x.cpp [stop] -->\n```cpp\n```\n") == 1U);
    BOOST_TEST(count(check, "README.md", "<!-- sample: samples/y.cpp [run] -->\n```cpp\n```\n") == 1U);
}

BOOST_AUTO_TEST_CASE(functions_are_measured)
{
    const std::string code = "namespace x {\n\nx::x(int a)\n    : a_{a}, b_{f(a)}\n{\n    if (a) {\n    }\n}\n\n"
                             "struct y {\n    int get() const { return 1; }\n    int values[2] = {1, 2};\n};\n}\n";
    const auto functions = weft_tidy::measure_functions(source_text{"lib/base/x.cpp", code});
    BOOST_REQUIRE(functions.size() == 2U);
    BOOST_TEST(functions[0].name == "lib/base/x.cpp:3 x::x");
    BOOST_TEST(functions[0].lines == 6U);
    BOOST_TEST(functions[1].name == "lib/base/x.cpp:11 get");
    BOOST_TEST(functions[1].lines == 1U);
}

// For the eye: prints, and refuses nothing.
BOOST_AUTO_TEST_CASE(the_longest_files_and_functions_and_names_without_counterpart)
{
    std::vector<std::pair<std::size_t, std::string>> files;
    std::vector<std::pair<std::size_t, std::string>> functions;
    std::string alone;
    for (const source_text& source : project()) {
        if (!is_product(source)) continue;
        files.emplace_back(source.lines.size(), source.path);
        for (const auto& function : measure_functions(source)) functions.emplace_back(function.lines, function.name);
        if (!source.is_under("lib/") || source.is_header()) continue;
        const std::string name = source.path.substr(4, source.path.size() - 8);
        if (!exists("include/weft/" + name + ".hpp") && !exists("lib/" + name + ".hpp"))
            alone += "  " + source.path + " has no header of its name\n";
        if (!exists("async_tests/" + name + "_test.cpp")) alone += "  " + source.path + " has no test of its name\n";
    }
    print_longest("files", std::move(files));
    print_longest("functions", std::move(functions));
    std::cout << "One name, three places:\n" << alone;
    BOOST_TEST(project().size() > 50);
}

BOOST_AUTO_TEST_SUITE_END()
