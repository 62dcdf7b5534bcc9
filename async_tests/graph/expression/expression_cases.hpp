#pragma once

#include "graph/node/graph_keys.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/graph/expression.hpp>

#include <boost/test/unit_test.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace weft_tests {

/** What an expression comes to over a JSON object: its `repr`, `! ` and the error, or `# ` and why it is refused. */
inline std::string answer(std::string_view text, std::string_view names = "{}")
{
    const boost::json::value values = weft::parse_json(names);
    try {
        const auto result = weft::expression::compile(text).evaluate(weft::json_scope{values.get_object()});
        return result.has_error() ? "! " + result.text() : result.text();
    } catch (const weft::error& e) {
        return std::string{"# "} + e.what();
    }
}

struct expression_case {
    std::string_view text;
    std::string_view expected;
};

inline void check_answers(std::initializer_list<expression_case> cases, std::string_view names = "{}")
{
    for (const auto& [text, expected] : cases)
        BOOST_TEST_CONTEXT(text) BOOST_TEST(answer(text, names) == expected);
}

/** The same for what fails: the answer begins with `mark` and has `expected` in it. */
inline void check_failures(char mark, std::initializer_list<expression_case> cases, std::string_view names = "{}")
{
    for (const auto& [text, expected] : cases) {
        const std::string found = answer(text, names);
        BOOST_TEST_CONTEXT(text << " gives " << found)
        {
            BOOST_TEST(found[0] == mark);
            BOOST_TEST(found.find(expected) != found.npos);
        }
    }
}

}  // namespace weft_tests
