#pragma once

// The macros of Boost.Test that the tests use most, with the same checks and the same reports and a fifth less code.
// Precompiled for the test programs; without precompiled headers Boost's own serve.

#include <boost/test/unit_test.hpp>

namespace weft_tests {

/** Notes where a test is, for the report of an exception. */
void passed(const char* file, int line);
/** Reports a check. One that fails counts, and ends the test if the level is `REQUIRE`. */
void checked(const boost::test_tools::assertion_result& result, const char* text, const char* file, int line,
             boost::test_tools::tt_detail::tool_level level);

/** Whether a fixture begins in its constructor and ends in its destructor, as is asked of those of suites. */
template <class Fixture>
inline constexpr bool is_plain_fixture =
    !requires(Fixture fixture) { fixture.setup(); } && !requires(Fixture fixture) { fixture.teardown(); };

}  // namespace weft_tests

// A check with tolerances or a message of its own is Boost's.
#define WEFT_SHORT_CHECK(level, ...)                                                             \
    do {                                                                                         \
        ::weft_tests::passed(__FILE__, __LINE__);                                                \
        ::weft_tests::checked((::boost::test_tools::assertion::seed()->*__VA_ARGS__).evaluate(), \
                              #__VA_ARGS__, __FILE__, __LINE__,                                  \
                              ::boost::test_tools::tt_detail::level);                            \
    } while (false)

#undef BOOST_TEST
#define BOOST_TEST(...) BOOST_TEST_INVOKE_IF_N_ARGS(2, WEFT_SHORT_CHECK, BOOST_TEST_TOOL_UNIV_EX, CHECK, __VA_ARGS__)
#undef BOOST_TEST_REQUIRE
#define BOOST_TEST_REQUIRE(...) \
    BOOST_TEST_INVOKE_IF_N_ARGS(2, WEFT_SHORT_CHECK, BOOST_TEST_TOOL_UNIV_EX, REQUIRE, __VA_ARGS__)

#define WEFT_DECORATED_TEST_CASE(name, decorators)                                                                   \
    struct name : BOOST_AUTO_TEST_CASE_FIXTURE {                                                                     \
        static_assert(::weft_tests::is_plain_fixture<BOOST_AUTO_TEST_CASE_FIXTURE>);                                 \
        void test_method();                                                                                          \
    };                                                                                                               \
    static void BOOST_AUTO_TC_INVOKER(name)() { name{}.test_method(); }                                              \
    BOOST_AUTO_TU_REGISTRAR(name)                                                                                    \
    (boost::unit_test::make_test_case(&BOOST_AUTO_TC_INVOKER(name), #name, __FILE__, __LINE__), decorators);         \
    void name::test_method()
#define WEFT_TEST_CASE(name) WEFT_DECORATED_TEST_CASE(name, boost::unit_test::decorator::collector_t::instance())
#undef BOOST_AUTO_TEST_CASE
#define BOOST_AUTO_TEST_CASE(...) BOOST_TEST_INVOKE_IF_N_ARGS(1, WEFT_TEST_CASE, WEFT_DECORATED_TEST_CASE, __VA_ARGS__)
