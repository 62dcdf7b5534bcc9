#pragma once

#include "openai_ids.hpp"
#include "run_transcript.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** What is known of a response beside what its run says. */
struct response_frame {
    response_id id = {};
    boost::json::object echo = {};  ///< As `response_request::echo`.
    std::int64_t created_at = 0;    ///< Seconds since 1970.
    std::optional<std::int64_t> completed_at = {};  ///< Of one that had ended when it was asked for.
};

/** How a response stands, in the words of the protocol. */
struct response_standing {
    std::string_view status = "in_progress";
    boost::json::value error = nullptr;
    boost::json::value incomplete = nullptr;          ///< Why it is not complete.
    std::optional<std::int64_t> completed_at = {};
};

[[nodiscard]] response_standing standing_of(const run_ending& ending, const run_transcript& said,
                                            std::int64_t now_seconds);

/** An item of the output. @param status  `in_progress`, `completed` or `incomplete`. */
[[nodiscard]] boost::json::object message_item(const said_item& item, std::string_view status);
[[nodiscard]] boost::json::object call_item(const client_call& call, std::string_view status);

/** A response without its output. */
[[nodiscard]] boost::json::object begun_response(const response_frame& frame, std::string_view status);
/** A response with what its run has said so far, or in the end. */
[[nodiscard]] boost::json::object response_view(const response_frame& frame, const response_standing& standing,
                                                const run_transcript& said);

}  // namespace weft::serve_detail
