#pragma once

#include <iostream>
#include <string_view>

namespace weft_tests {

/** Says that a case is skipped. CTest looks for these words (cmake/WeftDiscoverTests.cmake) and lists the case as
 *  skipped, not as passed.
 *  @return   False. */
inline bool say_skipped(std::string_view why)
{
    std::cout << "skipped: " << why << '\n' << std::flush;
    return false;
}

}  // namespace weft_tests
