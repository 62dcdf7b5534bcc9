#pragma once

#include <weft/agent/event_loop/loop_memory.hpp>
#include <weft/chat/message.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace weft {

/** A tool call of a turn that is written down beforehand. */
struct dry_run_call {
    std::string tool = {};
    boost::json::object arguments = {};

    friend bool operator==(const dry_run_call&, const dry_run_call&) = default;
};
BOOST_DESCRIBE_STRUCT(dry_run_call, (), (tool, arguments))

/** What a loop without a model says in a turn. */
struct dry_run_turn {
    std::string text = {};
    std::vector<dry_run_call> calls = {};

    friend bool operator==(const dry_run_turn&, const dry_run_turn&) = default;
};
BOOST_DESCRIBE_STRUCT(dry_run_turn, (), (text, calls))

/** An output with a value that is made up. */
struct dry_run_output {
    std::string key = {};
    boost::json::value value = {};
};

/** Stands in for the model of an event loop: says the scripted turns of a visit one after the other, and then gives
 *  each output that has none a made-up value.
 *
 *  @par Thread safety   As a value. */
struct loop_dry_run {
    std::vector<dry_run_turn> turns = {};
    std::vector<dry_run_output> outputs = {};

    /** @param memory   Of the turn at work. */
    [[nodiscard]] message reply(const event_loop_memory& memory) const;
};

}  // namespace weft
