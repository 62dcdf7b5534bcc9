#include "rules.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <optional>
#include <regex>
#include <string_view>

namespace weft_tidy {

void refuse(mistakes& found, const source_text& source, std::size_t line, const std::string& what)
{
    found.push_back(source.path + ":" + std::to_string(line + 1) + ": " + what);
}


namespace {

using std::string_literals::operator""s;

bool has_word(const std::string& line, std::string_view word)
{
    for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool begins = at == 0 || !is_word(line[at - 1]);
        const bool ends = end >= line.size() || !is_word(word.back()) || !is_word(line[end]);
        if (begins && ends) return true;
    }
    return false;
}

struct ban {
    std::string_view word;
    std::string_view remedy;
    std::vector<std::string_view> areas;     // where it is banned; everywhere when empty
    std::vector<std::string_view> excepted;  // below an area, where it is at home
};

const std::vector<ban>& bans()
{
    static const std::vector<std::string_view> library = {"include/", "lib/"};
    static const std::vector<std::string_view> product = {"include/", "lib/", "cli/", "samples/"};
    static const std::vector<std::string_view> readers = {"include/", "lib/", "cli/"};
    static const std::vector<std::string_view> clocks = {"include/weft/base/clock.hpp", "lib/base/system/clock.cpp",
                                                         "include/weft/testing/", "lib/testing/"};
    static const std::vector<std::string_view> launchers = {"include/weft/async/", "lib/async/",
                                                            "async_tests/async/",  "include/weft/testing/",
                                                            "lib/testing/",        "benchmarks/"};
    static const std::vector<ban> all = {
        {"rand", "weft::random_of(context)", {}, {}},
        {"srand", "weft::install_random(context, seed)", {}, {}},
        {"random_device", "weft::random_of(context)", {}, {"lib/base/system/random.cpp"}},
        {"steady_clock::now", "weft::clock_of(context).now(), or the clock of the loop", product, clocks},
        {"system_clock::now", "weft::clock_of(context).system_now()", product, clocks},
        {"this_thread::sleep_for", "co_await weft::sleep_for(…); in tests a manual clock", {}, {"benchmarks/"}},
        {"this_thread::sleep_until", "co_await weft::sleep_for(…); in tests a manual clock", {}, {"benchmarks/"}},
        {"detached", "a child of a weft::scope, which is awaited", {}, launchers},
        {"co_spawn", "a child of a weft::scope, or weft::run_blocking", library, launchers},
        {"make_parallel_group", "weft/async/join.hpp or weft/async/race.hpp", {}, {"benchmarks/"}},
        {"awaitable_operators", "weft/async/join.hpp or weft/async/race.hpp", {}, {"benchmarks/"}},
        {"assert", "BOOST_ASSERT", {}, {}},
        {"endl", "'\\n'", {}, {}},
        {"cout", "an event, or an error that says it", library, {}},
        {"cerr", "an event, or an error that says it", library, {}},
        {"printf", "an event, or an error that says it", library, {}},
        {"json::parse", "weft::parse_json, which reads numbers exactly, or weft::try_parse_json", readers, {}},
        {"json::stream_parser", "weft::parse_json, which reads numbers exactly", readers,
         {"lib/base/json/json_in_text.cpp"}},
        {"json::basic_parser", "weft::parse_json, which reads numbers exactly", readers,
         {"lib/base/json/json_reading.cpp"}},
        {"json::parser", "weft::parse_json, which reads numbers exactly", readers, {}},
        {"using namespace", "a using declaration of the one name", {"include/"}, {}},
    };
    return all;
}

bool is_under_any(const source_text& source, const std::vector<std::string_view>& folders)
{
    return std::any_of(folders.begin(), folders.end(), [&](std::string_view f) { return source.is_under(f); });
}

std::size_t columns(const std::string& line)
{
    return static_cast<std::size_t>(
        std::count_if(line.begin(), line.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

std::string trimmed(const std::string& line)
{
    const std::size_t begin = line.find_first_not_of(' ');
    return begin == std::string::npos ? ""s : line.substr(begin);
}

// The lines between the marks, moved left by the indentation of the opening mark.
std::optional<std::vector<std::string>> marked(const source_text& sample, const std::string& mark)
{
    const auto is_mark = [](std::string text) {
        return [text = std::move(text)](const std::string& line) { return trimmed(line) == text; };
    };
    const auto begin = std::find_if(sample.lines.begin(), sample.lines.end(), is_mark("// [" + mark + "]"));
    const auto end = std::find_if(begin, sample.lines.end(), is_mark("// [/" + mark + "]"));
    if (end == sample.lines.end()) return std::nullopt;
    const std::size_t indent = begin->find('/');
    std::vector<std::string> text;
    for (auto line = begin + 1; line != end; ++line)
        text.push_back(line->substr(std::min({indent, line->find_first_not_of(' '), line->size()})));
    return text;
}

void compare_sample(const source_text& source, std::size_t line, const std::vector<source_text>& project,
                    mistakes& found)
{
    const std::string& text = source.lines[line];
    const std::size_t name = text.find("sample: ") + 8;
    const std::size_t open = text.find(" [", name);
    const std::size_t close = text.find(']', name);
    if (open == std::string::npos || close == std::string::npos)
        return refuse(found, source, line, "write <!-- sample: samples/<file>.cpp [marker] -->");

    const std::string file = text.substr(name, open - name);
    const auto sample = std::find_if(project.begin(), project.end(), [&](const auto& s) { return s.path == file; });
    if (sample == project.end()) return refuse(found, source, line, "there is no " + file);
    const auto expected = marked(*sample, text.substr(open + 2, close - open - 2));
    if (!expected) return refuse(found, source, line, file + " does not have these marks");

    const std::size_t first = line + 2;
    if (first > source.lines.size() || !source.lines[line + 1].starts_with("```cpp"))
        return refuse(found, source, line, "a code block must follow, opened by ```cpp");
    for (std::size_t i = 0; i <= expected->size(); ++i) {
        const std::string wanted = i < expected->size() ? (*expected)[i] : "```"s;
        if (first + i >= source.lines.size() || source.lines[first + i] != wanted)
            return refuse(found, source, first + i, "differs from " + file + ", which has: " + wanted);
    }
}

}  // namespace

void check_headers(const source_text& source, mistakes& found)
{
    if (!source.is_header()) return;
    if (source.lines.empty() ||
        std::find(source.lines.begin(), source.lines.end(), "#pragma once") == source.lines.end())
        refuse(found, source, 0, "a header has #pragma once");
    if (!source.is_under("include/")) return;
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
        const std::string& line = source.lines[i];
        if (!line.starts_with("#include ")) continue;
        for (std::string_view heavy : {"<boost/beast", "<boost/asio/ssl", "<boost/asio.hpp", "<openssl/",
                                       "<boost/json/src.hpp", "<sqlite3", "<libpq"})
            if (line.find(heavy) == 9)
                refuse(found, source, i,
                       "public headers keep " + std::string{heavy.substr(1)} + " out: hide it in lib/");
    }
}

void check_calls(const source_text& source, mistakes& found)
{
    for (const ban& banned : bans()) {
        if (!banned.areas.empty() && !is_under_any(source, banned.areas)) continue;
        if (is_under_any(source, banned.excepted)) continue;
        for (std::size_t i = 0; i < source.code.size(); ++i)
            if (!source.code[i].starts_with("#include") && has_word(source.code[i], banned.word))
                refuse(found, source, i,
                       "instead of " + std::string{banned.word} + " use " + std::string{banned.remedy});
    }
}

void check_messages(const source_text& source, mistakes& found)
{
    // What `weft::testing` says is for tests, which are C++.
    if (!is_under_any(source, {"lib/", "cli/"}) || source.is_under("lib/testing/")) return;
    static const std::regex scoped{R"x(("|[A-Za-z_])::[A-Za-z_])x"};
    for (std::size_t i = 0; i < source.texts.size(); ++i)
        if (std::regex_search(source.texts[i], scoped))
            refuse(found, source, i, "a message speaks C++: name the option by its name alone, as `steps_max`");
}

void check_lines(const source_text& source, mistakes& found)
{
    const bool prose = source.is_markdown() || source.path.ends_with(".query");
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
        const std::string& line = source.lines[i];
        if (line.ends_with(' ') || line.ends_with('\r')) refuse(found, source, i, "blanks at the end of the line");
        if (line.find('\t') != std::string::npos) refuse(found, source, i, "a tab: indent with spaces");
        if (line.starts_with(std::string(7, '<') + " ") || line.starts_with(std::string(7, '>') + " "))
            refuse(found, source, i, "a conflict of a merge: choose what holds");
        if (!prose && columns(line) > 120) refuse(found, source, i, "longer than 120 columns");
        for (const std::string& later : {"TO"s + "DO", "FIX"s + "ME", "XX"s + "X"})
            if (has_word(line, later)) refuse(found, source, i, later + ": do it or leave it out");
    }
}

void check_words(const source_text& source, mistakes& found)
{
    const bool is_page = source.is_markdown() && (source.is_under("docs/") || source.path == "README.md");
    if (!is_page && !(source.is_cpp() && source.is_under("samples/"))) return;
    static const std::regex unknown{R"x((^|[^"A-Za-z_])(nobody|somebody|whoever)\b)x", std::regex::icase};
    std::smatch word;
    for (std::size_t i = 0; i < source.lines.size(); ++i)
        if (std::regex_search(source.lines[i], word, unknown))
            refuse(found, source, i, "instead of '" + word.str(2) + "' name the thing that acts (docs/GLOSSARY.md)");
}

void check_titles(const source_text& source, mistakes& found)
{
    if (!source.is_markdown()) return;
    bool in_code = false;
    int titles = 0;
    for (const std::string& line : source.lines) {
        if (line.starts_with("```")) in_code = !in_code;
        if (!in_code && line.starts_with("# ")) ++titles;
    }
    if (in_code) refuse(found, source, source.lines.size() - 1, "a code block is not closed");
    if (titles != 1) refuse(found, source, 0, "has " + std::to_string(titles) + " lines `# Title`, must have one");
}

namespace {

// Of a line of a table `| name | header |`: whether the header, if it is there, has the name.
void check_row(const source_text& source, std::size_t line, const std::vector<source_text>& project, mistakes& found)
{
    static const std::regex row{R"(^\| `(?:[a-z_]+::)*([a-z_0-9]+)(?:\(\))?` \| `(weft/[a-z_0-9/]+\.hpp)` \|)"};
    std::smatch cells;
    if (!std::regex_search(source.lines[line], cells, row)) return;
    const std::string path = "include/" + cells.str(2);
    const std::regex name{"\\b" + cells.str(1) + "\\b"};
    for (const source_text& header : project) {
        if (header.path != path) continue;
        const auto has_name = [&](const std::string& code) { return std::regex_search(code, name); };
        if (std::none_of(header.code.begin(), header.code.end(), has_name))
            refuse(found, source, line, path + " has no " + cells.str(1));
    }
}

}  // namespace

void check_mentions(const source_text& source, const std::vector<source_text>& project, mistakes& found)
{
    if (!source.is_markdown()) return;
    static const std::regex link{R"(\]\(([^)#:]+\.(?:md|cpp|hpp))(?:#[^)]*)?\))"};
    static const std::regex header{R"(weft/[a-z_0-9/]+\.hpp)"};
    const std::filesystem::path folder = std::filesystem::path{source.path}.parent_path();
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
        const std::string& line = source.lines[i];
        const auto check_all = [&](const std::regex& what, int group, const std::filesystem::path& from) {
            for (std::sregex_iterator at{line.begin(), line.end(), what}; at != std::sregex_iterator{}; ++at) {
                const std::string path = (from / at->str(group)).lexically_normal().generic_string();
                const bool is_there = std::any_of(project.begin(), project.end(),
                                                  [&](const source_text& one) { return one.path == path; });
                if (!is_there) refuse(found, source, i, "names " + path + ", which is not there");
            }
        };
        check_all(link, 1, folder);
        check_all(header, 0, "include");
        check_row(source, i, project, found);
    }
}

void check_samples(const source_text& source, const std::vector<source_text>& project, mistakes& found)
{
    if (!source.is_markdown()) return;
    for (std::size_t i = 0; i < source.lines.size(); ++i)
        if (source.lines[i].starts_with("<!-- sample: ")) compare_sample(source, i, project, found);
}

}  // namespace weft_tidy
