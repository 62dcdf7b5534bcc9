#pragma once

#include <weft/base/errc.hpp>
#include <weft/net/options/http_response_head.hpp>
#include <weft/net/sse_parser.hpp>

#include <boost/json/value.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

/** What an answer over HTTP means to a node of the kind `http`: decided without I/O. */
namespace weft::agent_detail {

/** A status that is no success. */
struct http_refusal {
    errc code = errc::http_refused;
    std::string detail;                                    ///< The status, and what the body says: 200 characters.
    std::optional<std::chrono::milliseconds> retry_after;  ///< What the service asks to wait.
};

/** How many bytes of the body of a refusal are worth reading. */
inline constexpr std::size_t refusal_bytes_max = 8 * 1024;

/** Nothing if the status is a success. Statuses that may pass, 408, 425, 429 and those from 500 on, are
 *  `errc::http_unavailable`, all others `errc::http_refused`; a redirect is one of these.
 *  @param body   Its beginning; may be empty. Of a JSON object the text in `message`, `detail` or `error` counts. */
[[nodiscard]] std::optional<http_refusal> refusal_of(const http_response_head& head, std::string_view body);
[[nodiscard]] bool is_refusal(const http_response_head& head) noexcept;

/** The value of a whole body: of JSON (`application/json`, `…+json`) what it says, of any other text the text, of an
 *  empty one null.
 *  @param where   The service, for errors.
 *  @par Errors    `errc::invalid_json`; `errc::invalid_output` for a body that is no UTF-8. */
[[nodiscard]] boost::json::value value_of_body(std::string_view media_type, std::string body, const std::string& where);

/** Reads a stream of events: what watchers hear, and which event is the answer.
 *
 *  An event of the type `result` is the answer and ends the stream; watchers do not hear it. One of the type `error` is
 *  a failure. All others are told to watchers under their type, `message` as `output`; a type that agents use for
 *  events of their own, such as `usage`, or that is no `is_event_name`, becomes `custom`. A stream that ends without
 *  `result` has its last event as the answer. Data that is no JSON is a text. */
class event_answer {
public:
    using tell_function = std::function<void(std::string_view kind, std::string_view text)>;

    /** @param where   The service, for errors. */
    event_answer(std::string where, tell_function tell) : where_{std::move(where)}, tell_{std::move(tell)} {}

    /** Takes the next bytes of the body. @return  Whether the answer is there.
     *  @par Errors  `errc::http_refused` for an event `error`, with the first 200 characters of its data;
     *               `errc::response_too_large`. */
    [[nodiscard]] bool feed(std::string_view bytes);
    /** The stream has ended. @par Errors  As `feed`; `errc::invalid_output` if there was no event. */
    void finish();
    [[nodiscard]] boost::json::value& answer() noexcept { return answer_; }

private:
    void take(const sse_event& event);

    std::string where_;
    tell_function tell_;
    sse_parser parser_;
    boost::json::value answer_;
    std::string last_;
    bool has_last_ = false;
    bool is_over_ = false;
};

}  // namespace weft::agent_detail
