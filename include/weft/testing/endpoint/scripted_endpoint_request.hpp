#pragma once

#include <weft/base/chrono.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::testing {

/** A request as a scripted endpoint saw it.
 *
 *  The functions that look into the conversation find nothing, instead of failing, when the body is
 *  not what they expect.
 */
struct scripted_endpoint_request {
    std::size_t number = 0;      ///< From 1, in the order of arrival at the endpoint.
    std::size_t connection = 0;  ///< From 1, in the order of acceptance.
    std::chrono::steady_clock::time_point received;
    std::string method;
    std::string target;  ///< Path and query, as they stood in the request line.
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    boost::json::value json;  ///< The body; null when it is not JSON.

    /** The value of a header field, its name in any case; empty when there is none. */
    [[nodiscard]] std::string_view header(std::string_view name) const noexcept;

    /** Whether this is a `POST …/chat/completions`. */
    [[nodiscard]] bool is_chat() const noexcept;
    [[nodiscard]] std::string_view model() const noexcept;
    [[nodiscard]] bool wants_stream() const noexcept;
    [[nodiscard]] bool wants_usage() const noexcept;

    /** The texts of all system and developer messages, a line feed after each. */
    [[nodiscard]] std::string system_text() const;
    /** The text of the last user message, its text parts joined. */
    [[nodiscard]] std::string last_user_text() const;
    /** The texts of all messages of this role, a line feed after each. */
    [[nodiscard]] std::string text_of(std::string_view role) const;

    /** For messages: `request 3 (POST /v1/chat/completions, model "m", user: "Say hello")`. Headers
     *  are left out, since they carry keys. */
    [[nodiscard]] std::string described() const;
};

}  // namespace weft::testing
