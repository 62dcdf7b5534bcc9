#pragma once

#include "testing/model/scripted_reply_plan.hpp"

#include <weft/testing/scripted_reply.hpp>

#include <boost/json/value.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace reply_test {

using weft::testing::reply_setting;
using weft::testing::scripted_reply;
using weft::testing::wire_plan;
using weft::testing::wire_step;

reply_setting streaming();
reply_setting in_one_document();

wire_plan plan(const scripted_reply& reply, const reply_setting& setting = streaming());

std::vector<std::string> writes(const wire_plan& plan);
std::vector<std::chrono::nanoseconds> waits(const wire_plan& plan);
/** How many pieces of the reply are through when the plan is. */
std::size_t pieces(const wire_plan& plan);

/** The contents of the chunks of a stream, without the last, empty one; checks their framing. */
std::vector<std::string> chunks(const wire_plan& plan);
/** The JSON of an event. */
boost::json::value event(const std::string& chunk);
/** What each event brings: its delta and reason to finish, the usage, or `[DONE]`. */
std::vector<std::string> deltas(const wire_plan& plan);
/** The arguments of a tool call, put together from its pieces. */
std::string arguments_of(const wire_plan& plan, std::int64_t index);

/** The JSON after the head. */
boost::json::value document(const wire_plan& plan);

void check_equal(const std::vector<std::string>& is, const std::vector<std::string>& should_be);

/** The delta of the first event of a text. */
inline const std::string opening = R"({"role":"assistant","content":"","refusal":null})";

}  // namespace reply_test
