#include "short_checks.hpp"

namespace weft_tests {

// The log keeps the name of the file by its address, as that of a macro.
void passed(const char* file, int line)
{
    boost::unit_test::unit_test_log.set_checkpoint(file, static_cast<std::size_t>(line));
}

void checked(const boost::test_tools::assertion_result& result, const char* text, const char* file, int line,
             boost::test_tools::tt_detail::tool_level level)
{
    using namespace boost::test_tools::tt_detail;
    report_assertion(result, boost::unit_test::lazy_ostream::instance() << text, file,
                     static_cast<std::size_t>(line), level, CHECK_BUILT_ASSERTION, 0);
}

}  // namespace weft_tests
