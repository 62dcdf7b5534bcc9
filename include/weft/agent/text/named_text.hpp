#pragma once

#include <boost/describe/class.hpp>

#include <string>

namespace weft {

/** A text and what it is of: a key of the state and its value, a tool and what it does. */
struct named_text {
    std::string name{};
    std::string text{};

    friend bool operator==(const named_text&, const named_text&) = default;
};
BOOST_DESCRIBE_STRUCT(named_text, (), (name, text))

}  // namespace weft
