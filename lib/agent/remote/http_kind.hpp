#pragma once

#include <weft/agent/remote/http_node_options.hpp>
#include <weft/graph/node_registry.hpp>
#include <weft/graph/spec/spec_duration.hpp>

#include <boost/describe/class.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** A body that is the value of one key as it is. */
struct http_body_settings {
    static constexpr std::array<std::string_view, 1> required_members{"stream"};
    std::string stream = {};  ///< The key of a text, which goes out while it is written if an edge streams it here.
    bool operator==(const http_body_settings&) const = default;
};
BOOST_DESCRIBE_STRUCT(http_body_settings, (), (stream))

/** A node of the kind `http`: calls a URL with what it reads, and writes what comes back. */
struct http_settings {
    static constexpr std::array<std::string_view, 1> required_members{"url"};
    std::string url = {};                            ///< A template behind the host; values are percent-encoded.
    std::string method = "POST";                     ///< `GET` and `DELETE` have no body.
    std::map<std::string, std::string> headers = {}; ///< Values may hold `${NAME}`, a variable of the environment.
    std::optional<spec_duration> timeout = {};       ///< Of one call with its whole answer; not given: a minute.
    std::int64_t reply_bytes_max = 1024 * 1024;      ///< Of the answer, a stream included.
    std::string into = {};                           ///< The key that gets the whole answer.
    std::optional<http_body_settings> body = {};     ///< Instead of the JSON object.
};
BOOST_DESCRIBE_STRUCT(http_settings, (), (url, method, headers, timeout, reply_bytes_max, into, body))

namespace agent_detail {

/** Says what is wrong with the setting `headers` of a node: secrets that stand in the file, names and values that no
 *  request can have. */
void check_headers(node_request& request, const std::map<std::string, std::string>& headers);

}  // namespace agent_detail

/** The kind `http` of graph files: work in any language. The body is a JSON object of the keys that the node reads; the
 *  answer is written as `agent_detail::write_answer` says: of a JSON object each member into the key of its name. Of a
 *  `text/event-stream` watchers hear the events, and the event `result`, or else the last one, is the answer.
 *
 *  With the setting `body` the body is a text, `text/plain` unless a header says otherwise. Over a streaming edge, in a
 *  run without a journal, it goes out while it is written, and `timeout` begins when all of it is sent.
 *
 *  The call is the effect `http` of the visit, with its key in `Idempotency-Key`: the same in each attempt, after a
 *  crash and in a resumed run, and it is not made again once its answer was recorded. It counts as one tool call in the
 *  run's budget. Redirects are not followed. Its retries are those of the node; what the service asks to wait
 *  (`Retry-After`) is waited as well, at most `retry.delay_max`.
 *
 *  @par Errors   In a run:
 *    - `errc::http_refused`      a status from 400 on, or a redirect, with 200 characters of the body; not retried.
 *    - `errc::http_unavailable`  408, 425, 429 or from 500 on.
 *    - `errc::address_refused`   the service is not trusted and has an address that is not public.
 *    - `errc::invalid_configuration`  a variable of a header is missing, or the service is not trusted with it.
 *    - `errc::missing_state_value`    a key of the URL has no value.
 *    - `errc::timeout`, `response_too_large` and the errors of `http_client`.
 *    - `errc::invalid_output`, `invalid_json`   the answer cannot be written.
 *    - `errc::budget_exhausted`  no tool call is left.
 *  @par Cancellation   Closes the connection; the effect is then in doubt, and is made again with the same key. */
[[nodiscard]] node_kind http_kind(http_node_options program = http_node_options{});

}  // namespace weft
