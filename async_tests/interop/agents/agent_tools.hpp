#pragma once

// The tools of the agents that are tested, and what is asked of all of their runs.

#include "mock_server.hpp"

#include <weft/engine/run_result.hpp>
#include <weft/tool/tool_set.hpp>

#include <boost/describe/class.hpp>

#include <string>
#include <string_view>

namespace interop::agents {

struct place {
    std::string city;
};
BOOST_DESCRIBE_STRUCT(place, (), (city))

struct invoice_number {
    std::string number;
};
BOOST_DESCRIBE_STRUCT(invoice_number, (), (number))

inline void add_weather(weft::tool_set& to)
{
    to.add("weather", "The weather of a city today.", [](const place& at) { return "rain in " + at.city; })
        .describe("city", "in English");
}

/** It knows one invoice. */
void add_invoice(weft::tool_set& to);

/** A run that has ended well, along these nodes if they are given. */
void expect_finished(std::string_view what, const weft::run_result& result, std::string_view path = {});

}  // namespace interop::agents
