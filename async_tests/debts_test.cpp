#include "tidy/debts.hpp"
#include "tidy/outline.hpp"
#include "tidy/source_text.hpp"

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace {

using weft_tidy::debts_of;
using weft_tidy::mistakes;
using weft_tidy::source_text;

// What the files of a small project owe to a rule.
std::size_t owed(const std::vector<source_text>& files, const std::string& debt)
{
    const auto found = debts_of(files);
    const auto one = found.find(debt);
    return one == found.end() ? 0 : one->second.count;
}

std::size_t owed_by(const std::string& path, const std::string& content, const std::string& debt)
{
    return owed({{path, content}}, debt);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(debts_test)

BOOST_AUTO_TEST_CASE(the_project_owes_nothing)
{
    for (const std::string& mistake : weft_tidy::told(debts_of(weft_tidy::project()))) BOOST_ERROR(mistake);
}

BOOST_AUTO_TEST_CASE(a_debt_is_told_with_its_places)
{
    BOOST_TEST(weft_tidy::told({}).empty());
    BOOST_TEST((weft_tidy::told({{"net types", {2, {"a:1", "a:2"}}}}) == mistakes{"net types: 2", "a:1", "a:2"}));
}

BOOST_AUTO_TEST_CASE(types_and_member_functions_are_found)
{
    const std::string code = R"(namespace weft::x_detail {
template <class T = int(*)()>
class [[nodiscard]] a final : public b {
public:
    explicit(true) a(int x) : x_{x}, y_{f(x)} { if (x) { g(); } }
    a(const a&) = delete;
    ~a() = default;
    template <class U> std::function<void(U)> get(U) const;
    bool operator()(int) const { return true; }
    auto operator<=>(const a&) const = default;
    explicit operator bool() const;
    friend void swap(a&, a&);
    struct inner { int f(); enum class e { one }; };
    class later;
private:
    std::function<void(int)> call_ = [](int) {};
    int x_ = f(1);
    int y_{2};
    SOME_MACRO(a, b)
};
enum class kind : int { one, two };
template <> struct hash<a> { int f(); };
namespace {
struct hidden {};
}
}
)";
    const auto found = outline_of(source_text{"lib/a/x.hpp", code});
    BOOST_REQUIRE(found.types.size() == 5U);
    BOOST_TEST(found.types[0].name == "a");
    BOOST_TEST(found.types[0].space == "weft::x_detail");
    BOOST_TEST(found.types[0].functions == 4U);
    BOOST_TEST(found.types[1].name == "a::inner");
    BOOST_TEST(found.types[1].functions == 1U);
    BOOST_TEST(found.types[2].name == "a::inner::e");
    BOOST_TEST(found.types[3].name == "kind");
    BOOST_TEST(found.types[4].space == "weft::x_detail::{}");
}

BOOST_AUTO_TEST_CASE(definitions_outside_of_classes_are_found)
{
    const std::string code = "namespace weft {\n\nx::x(int a)\n    : a_{a}, b_{f(a)}\n{\n}\n\n"
                             "std::function<void(int)> x::inner::f() const { return a::b(); }\n"
                             "bool x::operator()(int) { return true; }\nx::operator bool() const { return true; }\n"
                             "int free(x::y) { return 1; }\nint x::later(int);\n}\n";
    const auto found = outline_of(source_text{"lib/a/x.cpp", code});
    BOOST_REQUIRE(found.definitions.size() == 4U);
    BOOST_TEST(found.definitions[0].owner == "x");
    BOOST_TEST(found.definitions[0].name == "x");
    BOOST_TEST(found.definitions[0].line == 2U);
    BOOST_TEST(found.definitions[1].owner == "x::inner");
    BOOST_TEST(found.definitions[1].name == "f");
    BOOST_TEST(found.definitions[2].name == "operator()");
    BOOST_TEST(found.definitions[3].owner == "x");
}

BOOST_AUTO_TEST_CASE(a_class_has_forty_member_functions_at_most)
{
    std::string functions;
    for (int i = 0; i < 40; ++i) functions += "    void f" + std::to_string(i) + "();\n";
    BOOST_TEST(owed_by("lib/net/x.hpp", "class x {\n" + functions + "};\n", "net functions") == 0U);
    BOOST_TEST(owed_by("lib/net/x.hpp", "class x {\n" + functions + "    void g() {}\n};\n", "net functions") == 1U);
}

BOOST_AUTO_TEST_CASE(a_member_is_defined_in_the_source_of_its_header)
{
    const source_text header{"include/weft/net/http/x.hpp",
                             "namespace weft {\nclass x { void f(); struct impl; };\n}\n"};
    const auto owed_with = [&](const std::string& path, const std::string& code) {
        return owed({header, {path, code}}, "net homes");
    };
    BOOST_TEST(owed_with("lib/net/http/x.cpp", "void x::f() {}\n") == 0U);
    BOOST_TEST(owed_with("lib/net/http/y.cpp", "void x::f() {}\n") == 1U);
    BOOST_TEST(owed_with("lib/net/http/y.cpp", "void weft::x::f() {}\n") == 1U);
    BOOST_TEST(owed_with("lib/net/http/y.cpp", "struct x::impl { void g(); };\nvoid x::impl::g() {}\n") == 0U);
    BOOST_TEST(owed_with("include/weft/net/http/y.hpp", "inline void x::f() {}\n") == 0U);
    BOOST_TEST(owed_with("lib/net/http/y.hpp", "inline void x::f() {}\n") == 1U);
    BOOST_TEST(owed_with("lib/tool/y.cpp", "void x::f() {}\n") == 0U);
}

BOOST_AUTO_TEST_CASE(a_name_of_a_public_type_is_used_once)
{
    const source_text first{"include/weft/net/a.hpp", "namespace weft {\nclass x {};\n}\n"};
    const auto owed_with = [&](const std::string& code) {
        return owed({first, {"include/weft/tool/b.hpp", "namespace " + code + "\n}\n"}}, "tool types");
    };
    BOOST_TEST(owed_with("weft {\nstruct x {};") == 1U);
    BOOST_TEST(owed_with("weft::other {\nenum class x { one };") == 1U);
    BOOST_TEST(owed_with("weft {\nclass x;\nclass y { struct x {}; };") == 0U);
    BOOST_TEST(owed_with("weft::tool_detail {\nstruct x {};") == 0U);
}

BOOST_AUTO_TEST_CASE(names_have_a_meaning_that_a_search_finds)
{
    BOOST_TEST(owed_by("lib/net/x.cpp", "int question_desk, kept_run, run_words, shared_part_, desk;\n", "net names") ==
               5U);
    BOOST_TEST(owed_by("lib/net/dog.cpp", "rehearsing_model nobody;\n", "net names") == 3U);
    BOOST_TEST(owed_by("lib/net/x.cpp", "int a_desk;\nint b = a_desk;\n", "net names") == 1U);
    BOOST_TEST(owed_by("lib/net/x.cpp", "int watchdog, kept, part, text_part; // desk\nf(\"desk\");\n", "net names") ==
               0U);
    BOOST_TEST(owed_by("async_tests/net/x.cpp", "int question_desk;\n", "net names") == 0U);
}

BOOST_AUTO_TEST_CASE(comments_name_the_thing_that_acts)
{
    BOOST_TEST(owed_by("lib/net/x.cpp", "// Nobody reads it.\nint x;  // whoever asks\n", "net persons") == 2U);
    BOOST_TEST(owed_by("async_tests/net/x.cpp", "/* one\n   somebody */\n", "net persons") == 1U);
    BOOST_TEST(owed_by("cli/x.cpp", "f(\"nobody\");  // \"nobody\" is a user\n", "cli persons") == 0U);
}

BOOST_AUTO_TEST_CASE(the_missing_percents_of_comments_are_a_debt)
{
    const auto text = [](int comments, int lines) {
        std::string all;
        for (int i = 0; i < lines; ++i) all += i < comments ? "// why\n" : "int x;\n\n";
        return all;
    };
    BOOST_TEST(owed_by("include/weft/net/x.hpp", text(30, 100), "net header_comments") == 0U);
    BOOST_TEST(owed_by("include/weft/net/x.hpp", text(29, 100), "net header_comments") == 1U);
    BOOST_TEST(owed_by("include/weft/net/x.hpp", text(0, 100), "net header_comments") == 30U);
    BOOST_TEST(owed_by("lib/net/x.cpp", text(5, 100), "net source_comments") == 0U);
    BOOST_TEST(owed_by("lib/net/x.cpp", text(3, 100), "net source_comments") == 2U);
    BOOST_TEST(owed_by("lib/net/x.hpp", text(0, 100), "net source_comments") == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
