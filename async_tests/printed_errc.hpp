#pragma once

#include <weft/base/errc.hpp>

#include <ostream>

namespace weft {

// For the messages of BOOST_TEST.
inline std::ostream& operator<<(std::ostream& out, errc code) { return out << name_of(code); }

}  // namespace weft
