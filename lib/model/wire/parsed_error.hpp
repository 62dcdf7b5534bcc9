#pragma once

#include <weft/base/errc.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace weft::model_detail {

/** What a server says about an error, whatever shape it puts it into. */
struct parsed_error {
    std::string message;
    std::string type;
    std::string code;
    int status = 0;  ///< Where `code` is one.
    std::string request_id;
    std::optional<std::chrono::milliseconds> retry_after;
    std::optional<errc> meaning;  ///< Where it can be told from neither the status nor the words above.
};

/** Reads what only one provider says about an error.
 *  @param report   All that was sent, as a rule with the error as its member `error`. */
using error_detail_reader = void (*)(const boost::json::object& report, parsed_error& parsed);

/** Shapes: `{"error":{"message":…}}`, `{"error":"…"}`, `{"message":…}`, `{"detail":…}` and the bare error.
 *  @param read_more   May be null. */
[[nodiscard]] parsed_error error_of(const boost::json::object& report, error_detail_reader read_more);

/** Reads the words from a body: JSON, an array with one report in it, or plain text. */
[[nodiscard]] parsed_error error_of_body(std::string_view body, error_detail_reader read_more);

/** The text, not much longer than a screen, as UTF-8. */
[[nodiscard]] std::string bounded_text(std::string_view text);

/** The error in a report: its member `error`, or the report itself. */
[[nodiscard]] const boost::json::object& error_in(const boost::json::object& report) noexcept;

/** Whether a piece of a reply reports an error: `error` that is not null, or the flat `{"object":"error",…}`. */
[[nodiscard]] bool reports_error(const boost::json::object& piece) noexcept;

}  // namespace weft::model_detail
