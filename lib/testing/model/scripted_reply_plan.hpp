#pragma once

#include "scripted_reply_json.hpp"

#include <weft/testing/model/scripted_reply_content.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::testing {

/** One write: the bytes up to `end`, after a wait. */
struct wire_step {
    std::chrono::nanoseconds wait{};
    std::size_t end = 0;
    std::size_t pieces = 0;  ///< Pieces of the reply that are through with this write.
};

/** What becomes of the connection after the last step. */
enum class wire_ending { keep, close, cut, reset, stall };

/** What a connection does for one reply. Bytes and times are settled; performing it needs no thought. */
struct wire_plan {
    std::string bytes;
    std::vector<wire_step> steps;
    wire_ending ending = wire_ending::keep;
};

/** What a plan takes from the request and the endpoint. */
struct reply_setting {
    chat_naming naming;
    std::string request_id;
    bool wants_stream = false;
    bool wants_usage = false;
    bool keeps_alive = true;
    std::size_t prompt_bytes = 0;
    std::uint64_t seed = 0;
    double pace = 1;

    [[nodiscard]] std::chrono::nanoseconds paced(std::chrono::nanoseconds wait,
                                                 double factor = 1) const
    {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(wait * (pace * factor));
    }
};

/** Turns a reply into writes. A pure function: the same arguments give the same plan. */
[[nodiscard]] wire_plan plan_reply(const scripted_reply_content& parts, const reply_setting& setting);

}  // namespace weft::testing
