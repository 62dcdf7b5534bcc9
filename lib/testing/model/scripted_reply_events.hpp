#pragma once

#include "scripted_reply_plan.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace weft::testing {

/** A part of a reply's body that is written at once, before it is framed for HTTP. */
struct body_event {
    std::string bytes;
    std::chrono::nanoseconds wait{};
    bool is_piece = true;
};

/** The body of a reply, as far as it comes. */
struct reply_body {
    std::vector<body_event> events;
    bool is_document = false;    ///< One document of a known length; otherwise a stream.
    bool is_complete = true;     ///< The client gets all that the head promises.
    bool is_torn = false;        ///< Only half of the last event comes.
    std::size_t length = 0;      ///< Of the document, all of it.
};

[[nodiscard]] reply_body body_of(const scripted_reply_content& parts, const reply_setting& setting);

}  // namespace weft::testing
