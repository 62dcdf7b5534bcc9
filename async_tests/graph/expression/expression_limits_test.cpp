#include "expression_cases.hpp"

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(expression_limits_test)

namespace {

std::string repeated(std::string_view part, std::size_t times)
{
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_8_what_is_not_allowed_is_refused_by_name)
{
    check_failures('#', {{"lambda: 1", "line 1, column 1: the expression is not valid: lambda is not allowed"},
                         {"[x for x in y]", "comprehension is not allowed"}, {"{x: 1 for x in y}", "comprehension"},
                         {"all(x for x in y)", "comprehension"}, {"f'{x}'", "f-strings are not allowed"},
                         {"(x := 1)", "assignment with := is not allowed"}, {"x = 1", "compare with =="},
                         {"import os", "import is not allowed"}, {"__import__('os')", "'__import__' is not allowed"},
                         {"getattr(x, 'y')", "'getattr' is not allowed"}, {"type(x)", "'type' is not allowed"},
                         {"exec('1')", "'exec' is not allowed"}, {"eval('1')", "'eval' is not allowed"},
                         {"open('f')", "'open' is not allowed"}, {"lenn(x)", "did you mean 'len'?"},
                         {"x.__class__", "attribute '__class__' is private"}, {"x._y", "attribute '_y' is private"},
                         {"''.__class__.__mro__", "private"}, {"x.format(1)", "'format' is not allowed"},
                         {"x[1:2]", "a slice is not allowed"}, {"{1, 2}", "set([...])"}, {"x()()", "not allowed"},
                         {"(len)(x)", "calling a value is not allowed"}, {"len(*x)", "unpacking"},
                         {"dict(**x)", "unpacking"}, {"b'x'", "bytes are not allowed"}, {"1j", "complex"},
                         {"...", "... is not allowed"}, {"a @ b", "@ is not allowed"}, {"await x", "await is not"},
                         {"a && b", "write and"}, {"a || b", "write or"}, {"!a", "write not"}, {"a ? b", "if"},
                         {"len(x, y)", "takes at most 1"}, {"len()", "needs at least 1"},
                         {"int('1', bas=2)", "no argument called 'bas'"}, {"a; b", "only one expression"}});
}

BOOST_AUTO_TEST_CASE(HIV_8_syntax_errors_name_line_and_column)
{
    check_failures('#', {{"1 +", "line 1, column 4: the expression is not valid: the expression ends too early"},
                         {"1\n+ +\n* 2", "line 3, column 1"}, {"(1", "column 3"}, {"a b", "column 3"},
                     {"'abc", "not closed"},
                         {"'é' $", "column 5"}, {"1 if 2", "needs an else"}, {"[1 2]", "column 4"},
                     {"012", "begins with 0"},
                         {"a not b", "followed by `in`"}, {"{1: }", "a value is expected"}, {"x.", "a name is missing"},
                         {"f(a=1, 2)", "not allowed"}, {"dict(a=1, 2)", "follows one with a name"},
                     {"1__0", "not a number"}});
}

BOOST_AUTO_TEST_CASE(HIV_8_nesting_is_bounded)
{
    for (const std::string_view part : {"(", "[", "{1:", "not ", "-", "~", "2**", "len(", "1 if 1 else ", "a["})
        check_failures('#', {{repeated(part, 5'000), "nested deeper than 200"}});
    check_failures('#', {{repeated("(", 10'000) + "1" + repeated(")", 10'000), "nested deeper than 200"}});
    check_answers({{repeated("(", 150) + "1" + repeated(")", 150), "1"}});
    BOOST_TEST(answer(repeated("1 + ", 5'000) + "1") == "5001");
}

BOOST_AUTO_TEST_CASE(HIV_8_size_is_bounded)
{
    check_failures('#', {{repeated("a", 1 << 20), "65536 are allowed"}, {repeated("1+", 20'000) + "1", "steps"},
                         {"'" + repeated("x", 100'000) + "'", "allowed"}});
}

BOOST_AUTO_TEST_CASE(HIV_8_attacks_end_at_once)
{
    check_failures('!', {{"2 ** 2 ** 100", "beyond"}, {"2 ** 1001", "beyond"}, {"10 ** 1000 ** 1000", "bits"},
                         {"(2 ** 1000) ** 1000", "bits"}, {"1 << 5000", "bits"}, {"1 << 10 ** 30", "bits"},
                         {"1 << -1", "negative shift"},
                         {"1 >> -10 ** 30", "negative shift"}, {"'a' * 10 ** 9", "MemoryError"},
                     {"[0] * 10 ** 9", "MemoryError"},
                         {"'a' * 10 ** 300", "MemoryError"}, {"[[0] * 1000] * 10 ** 6", "MemoryError"},
                         {"(2 ** 1000) ** 4 * (2 ** 1000) ** 4", "bits"}, {"1.0 * 10 ** 1000", "OverflowError"},
                         {"int('9' * 5000)", "bits"}});
    const std::string doubling = "'a' * 1000000 + " + repeated("'b' * 1000000 + ", 20) + "''";
    check_failures('!', {{doubling, "MemoryError"}});
    check_failures('!', {{repeated("sum([0] * 100000) + ", 200) + "0", "Error"}});
    BOOST_TEST(answer("len(str(2 ** 1000))") == "302");
    check_failures('!', {{repeated("(b in a) + ", 4000) + "0", "TimeoutError"}},
                   R"({"a": ")" + repeated("a", 200'000) + R"(", "b": ")" + repeated("a", 1000) + R"(b"})");
}

BOOST_AUTO_TEST_SUITE_END()
