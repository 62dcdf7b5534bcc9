#include "expression_cases.hpp"
#include "expression_vectors.hpp"

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(expression_test)

BOOST_AUTO_TEST_CASE(HIV_8_an_empty_text_is_true)
{
    check_answers({{"", "True"}, {"  \n ", "True"}, {"1 # one", "1"}, {"# one\n1", "1"}});
}

BOOST_AUTO_TEST_CASE(W15_a_comment_alone_is_no_condition_that_holds)
{
    check_failures('#', {{"# later", "line 1, column 8: the expression is not valid: there is only a comment"},
                         {" # a\n# b\n", "there is only a comment"}});
    check_answers({{"'# later'", "'# later'"}});
}

BOOST_AUTO_TEST_CASE(W15_characters_that_nobody_sees_are_no_letters)
{
    check_failures('#', {{"a\u00a0== 1", "line 1, column 2: the expression is not valid: a character that nobody sees "
                                         "stands here, U+00a0"},
                         {"sc\u200bore", "U+200b"}, {"\ufeffa", "U+feff"}, {"a\u3000", "U+3000"}});
    check_answers({{"'a\u00a0b' == 'a\\xa0b'", "True"}, {"{'\u00e4': 1}", "{'\u00e4': 1}"}});
}

BOOST_AUTO_TEST_CASE(W15_characters_that_look_like_others_are_no_letters)
{
    check_failures('#', {{"a == \uff58", "line 1, column 6: the expression is not valid: '\uff58', U+ff58, is not the "
                                         "character that it looks like: type a plain x"},
                         {"score\uff1e0.5", "column 6: the expression is not valid: '\uff1e', U+ff1e"},
                         {"3\uff0b4", "type a plain +"}, {"\uff08a)", "type a plain ("}, {"\uff11", "type a plain 1"},
                         {"s == \u2018ok\u2019", "column 6: the expression is not valid: '\u2018', U+2018"},
                         {"s == \u201cok\u201d", "type a plain \""}});
    check_answers({{"'\uff58' == 'x'", "False"}, {"{'\u201c\uff58': 1}['\u201c\uff58']", "1"}});
    BOOST_TEST(answer("\u7684 + \u00e4", "{\"\u7684\": 1, \"\u00e4\": 2}") == "3");
}

BOOST_AUTO_TEST_CASE(W15_a_text_is_formatted_by_joining)
{
    constexpr std::string_view remedy = "formatting a text with % is not allowed: join texts with +, as in "
                                        "'score: ' + str(score)";
    check_failures('#', {{"'%d of 3' % x", "line 1, column 11: the expression is not valid: formatting a text"},
                         {"x == ('a' 'b') % (1, 2)", remedy}, {"1 + '%s' % x", remedy}, {"False and '%s' % x", remedy},
                         {"['%s' % x]", remedy}});
    check_failures('!', {{"s % 3", remedy}, {"'a' * 2 % 3", remedy}}, R"({"s": "%d"})");
    check_answers({{"'score: ' + str(7 % 4)", "'score: 3'"}, {"'a%s' + 'b'", "'a%sb'"}});
}

BOOST_AUTO_TEST_CASE(W15_texts_are_shown_and_read_as_python_does)
{
    // CPython 3.11
    check_answers({{"str(['\\u200d\\u2003\\x80\\U000e0001\u20ac'])",
                    "\"['\\\\u200d\\\\u2003\\\\x80\\\\U000e0001\u20ac']\""},
                   {"'\u03a3\u0149X'.lower()", "'\u03c3\u0149x'"}, {"'A\u03a3'.lower()", "'a\u03c2'"},
                   {"'A\u03a3\u00df'.lower()", "'a\u03c3\u00df'"}, {"int(' \\t5\\u2003', 16)", "5"},
                   {"float('\\n1.5\\x0c')", "1.5"}});
    check_failures('!', {{"int('\\x1e5\\u2003', 16)", "invalid literal"}, {"float('1\\x1f')", "could not convert"}});
}

BOOST_AUTO_TEST_CASE(HIV_8_literals_and_displays)
{
    check_answers({{"42", "42"}, {"1_000", "1000"}, {"0xff", "255"}, {"0b101", "5"}, {"0o17", "15"}, {"3.14", "3.14"},
                   {"1e3", "1000.0"}, {".5", "0.5"}, {"'a'", "'a'"}, {"\"it's\"", "\"it's\""}, {"'a' \"b\"", "'ab'"},
                   {"r'\\n'", "'\\\\n'"}, {"'\\x41\\u00e9\\101\\q'", "'AéA\\\\q'"}, {"'''a\nb'''", "'a\\nb'"},
                   {"True", "True"}, {"true", "True"}, {"False", "False"}, {"false", "False"}, {"None", "None"},
                   {"[1, 'a', None]", "[1, 'a', None]"}, {"(1,)", "(1,)"}, {"()", "()"}, {"1, 2", "(1, 2)"},
                   {"{'a': 1, 2: [3]}", "{'a': 1, 2: [3]}"}, {"{1: 'a', True: 'b'}", "{1: 'b'}"}, {"[]", "[]"},
                   {"123456789012345678901234567890", "123456789012345678901234567890"}});
}

BOOST_AUTO_TEST_CASE(HIV_8_arithmetic)
{
    check_answers({{"10 / 4", "2.5"}, {"7 // 2", "3"}, {"-7 // 2", "-4"}, {"-7 % 3", "2"}, {"7 % -3", "-2"},
                   {"-7.5 // 2", "-4.0"}, {"5.5 % -2", "-0.5"}, {"2 ** 10", "1024"}, {"2 ** -1", "0.5"},
                   {"-2 ** 2", "-4"}, {"2 ** 3 ** 2", "512"}, {"1 << 70", "1180591620717411303424"}, {"-5 >> 1", "-3"},
                   {"6 & 3 | 8 ^ 1", "11"}, {"True & False", "False"}, {"~5", "-6"}, {"+True", "1"}, {"not 0", "True"},
                   {"9223372036854775807 + 1", "9223372036854775808"}, {"-(2 ** 63) // -1", "9223372036854775808"},
                   {"'ab' * 2 + 'c'", "'ababc'"}, {"[1] + [2] * 2", "[1, 2, 2]"}, {"1 - 2 - 3", "-4"},
                   {"2 ** 53 + 1 == 2.0 ** 53", "False"}, {"(2 ** 64 + 1) / 2 ** 64", "1.0"}});
}

BOOST_AUTO_TEST_CASE(HIV_8_comparisons_chain)
{
    check_answers({{"1 < 2 < 3", "True"}, {"1 < 3 < 2", "False"}, {"1 == 1.0 == True", "True"},
                   {"1 < 2 > 1 != 0", "True"}, {"3 > 2 > 2 > 1 / 0", "False"}, {"'a' < 'b'", "True"},
                   {"[1, 2] < [1, 3]", "True"}, {"(1,) == [1]", "False"}, {"{'a': 1} == {'a': 1.0}", "True"},
                   {"'a' in ['a']", "True"}, {"'z' not in 'abc'", "True"}, {"'' in ''", "True"},
                   {"'k' in {'k': 1}", "True"}, {"1 in 2 in [2] if False else 5", "5"}, {"None is None", "True"},
                   {"0 is not None", "True"}, {"float('nan') == float('nan')", "False"}});
}

BOOST_AUTO_TEST_CASE(HIV_8_short_circuit_returns_the_operand)
{
    check_answers({{"1 and 0 and 3", "0"}, {"0 or '' or None", "None"}, {"1 and 2", "2"}, {"0 or 'x'", "'x'"},
                   {"x is not None and x.get('k')", "False"}, {"False and 1 / 0", "False"}, {"1 or 1 / 0", "1"},
                   {"0 and 1 or 2", "2"}, {"not (1 and [])", "True"}},
                  R"({"x": null})");
}

BOOST_AUTO_TEST_CASE(HIV_8_only_the_chosen_side_of_a_conditional_is_evaluated)
{
    check_answers({{"1 if True else 1 / 0", "1"}, {"1 / 0 if 0 else 2", "2"},
                   {"'a' if n > 10 else 'b' if n > 5 else 'c'", "'b'"}, {"(1 if n else 2) + 1", "2"},
                   {"1 and 2 if 0 or n else 3", "2"}, {"[1 if n else 2, 3 if not n else 4]", "[1, 4]"}},
                  R"({"n": 7})");
}

BOOST_AUTO_TEST_CASE(HIV_8_names_subscripts_and_attributes)
{
    constexpr std::string_view names =
        R"({"d": {"a": {"b": [1, 2, 3]}, "items": 5}, "s": "Grüße", "u": 18446744073709551615})";
    check_answers({{"d['a']['b'][-1]", "3"}, {"d.a.b[0]", "1"}, {"d.items", "5"}, {"s[2]", "'ü'"}, {"s[-1]", "'e'"},
                   {"len(s)", "5"}, {"u", "18446744073709551615"}, {"u + 1", "18446744073709551616"}},
                  names);
    check_failures('!', {{"nope", "line 1, column 1: NameError: name 'nope' is not defined"},
                     {"d['x']", "KeyError: 'x'"},
                         {"d.a.b[3]", "IndexError"}, {"s[9]", "IndexError"}, {"d.x", "AttributeError"},
                         {"(5)['a']", "TypeError"}, {"d[[]]", "TypeError: unhashable"}, {"s['a']", "TypeError"}},
                   names);
}

BOOST_AUTO_TEST_CASE(HIV_8_functions)
{
    check_answers({{"len([1, 2])", "2"}, {"int('12') + int(3.9) + int('ff', 16)", "270"}, {"int('0b11', base=0)", "3"},
                   {"float('1.5')", "1.5"}, {"str(1.0) + str(None)", "'1.0None'"}, {"bool([])", "False"},
                   {"list('ab')", "['a', 'b']"}, {"dict(a=1)", "{'a': 1}"}, {"dict([(1, 2)])", "{1: 2}"},
                   {"tuple([1])", "(1,)"}, {"set([1, 1.0, True])", "{1}"}, {"set()", "set()"}, {"min(3, 1, 2)", "1"},
                   {"max([1, 5])", "5"}, {"min([], default=7)", "7"}, {"sum([1, 2.5])", "3.5"},
                   {"sum([[1], [2]], start=[])", "[1, 2]"}, {"abs(-3)", "3"}, {"round(2.5)", "2"},
                   {"round(2.675, 2)", "2.67"}, {"round(1250, -2)", "1200"},
                     {"round(2.0 ** 70)", "1180591620717411303424"},
                   {"all([1, 'a'])", "True"}, {"any([0, ''])", "False"},
                     {"str([1, 'a', (2.0,)])", "\"[1, 'a', (2.0,)]\""}});
}

BOOST_AUTO_TEST_CASE(HIV_8_methods)
{
    check_answers({{"d.get('a')", "1"}, {"d.get('z')", "None"}, {"d.get('z', 9)", "9"},
                     {"list(d.keys())", "['a', 'b']"},
                   {"list(d.values())", "[1, 2]"}, {"list(d.items())", "[('a', 1), ('b', 2)]"},
                     {"'ÀB'.lower()", "'àb'"},
                   {"'straße'.upper()", "'STRASSE'"}, {"' x '.strip()", "'x'"}, {"'xxaxx'.strip('x')", "'a'"},
                   {"' a  b '.split()", "['a', 'b']"}, {"'a,b,c'.split(',', maxsplit=1)", "['a', 'b,c']"},
                   {"d.keys() == set(['b', 'a'])", "True"}, {"len(d.items())", "2"}},
                  R"({"d": {"a": 1, "b": 2}})");
}

BOOST_AUTO_TEST_CASE(HIV_8_an_evaluation_error_is_a_value_that_does_not_hold)
{
    check_failures('!', {{"1 / 0", "line 1, column 3: ZeroDivisionError"}, {"1 // 0", "ZeroDivisionError"},
                         {"1.0 % 0", "ZeroDivisionError"}, {"0 ** -1", "ZeroDivisionError"},
                         {"'a' < 1", "TypeError: '<' not supported between instances of 'str' and 'int'"},
                         {"1 + 'a'", "TypeError"}, {"len(5)", "TypeError"}, {"int('x')", "ValueError"},
                         {"1 in 5", "TypeError"}, {"(5).lower()", "AttributeError"}, {"max([])", "ValueError"},
                         {"1 and\n2 and\n'ä' + 1", "line 3, column 5"}, {"(-8) ** 0.5", "ValueError"}});
    const boost::json::object nothing;
    const auto result = weft::expression::compile("1 / 0").evaluate(weft::json_scope{nothing});
    BOOST_TEST(result.has_error());
    BOOST_TEST(!result.holds());
}

BOOST_AUTO_TEST_CASE(HIV_8_conditions_of_edges)
{
    check_answers({{"confidence >= 0.8", "True"}, {"category in ['billing', 'technical']", "True"},
                   {"output.get('status') == 'ok' and retries < 3", "True"}, {"len(items) > 2", "False"},
                   {"(score or 0) * 100 > 50", "False"}, {"category.lower().strip() == 'billing'", "True"}},
                  R"({"confidence": 0.85, "category": "billing", "output": {"status": "ok"}, "retries": 1,
                      "items": [1], "score": null})");
}

BOOST_AUTO_TEST_CASE(HIV_8_random_expressions_have_the_values_of_python)
{
    const boost::json::value names = weft::parse_json(expression_vector_names);
    for (const auto& [text, expected] : expression_vectors) {
        BOOST_TEST_CONTEXT(text)
        {
            const auto result = weft::expression::compile(text).evaluate(weft::json_scope{names.get_object()});
            if (expected[0] == '!')
                BOOST_TEST(result.error().find(std::string{expected.substr(1)} + ": ") != std::string::npos);
            else
                BOOST_TEST((result.holds() ? "T" : "F") + result.text() == expected);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_value_becomes_json)
{
    const boost::json::object names{{"d", {{"a", 1}}}};
    const weft::json_scope scope{names};
    const auto result = weft::expression::compile("[d, (1, 2.5), {1: None}, 2 ** 64]").evaluate(scope);
    BOOST_TEST((result.to_json() == weft::parse_json(R"([{"a": 1}, [1, 2.5], {"1": null}, 18446744073709551616.0])")));
}

BOOST_AUTO_TEST_SUITE_END()
