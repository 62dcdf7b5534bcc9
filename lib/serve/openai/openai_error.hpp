#pragma once

#include "serve/http/fields.hpp"
#include "serve/http/refusal.hpp"

#include <weft/net/server/http_reply.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace weft::serve_detail {

/** Refuses a request because of one of its members.
 *
 *      refuse_parameter("messages[2].content", "expected a text or a list of parts");
 *
 *  @param path    JSON path in the body; clients get it as `param`.
 *  @param code    What programs look at.
 *  @par Errors    `http_error` 400, always. */
[[noreturn]] void refuse_parameter(std::string_view path, std::string_view why,
                                   std::string_view code = "invalid_value");

/** The same for a member of a `field_set`, with the code that OpenAI has for what is wrong. */
[[nodiscard]] http_error openai_misfit(const std::string& path, std::string_view why, field_fault what);

/** What went wrong, as clients of OpenAI know it: `{"message":…,"type":…,"param":…,"code":…}`. */
[[nodiscard]] boost::json::object openai_error_view(const refusal& why);

/** The shape of refusals: `{"error":{…}}`. What others refuse with 422 is 400 here. */
[[nodiscard]] http_reply openai_form(const refusal& why);

/** The status that clients get for a refusal. */
[[nodiscard]] int openai_status(int status) noexcept;

/** The code of a run's failure, in the place of the name of ours. */
[[nodiscard]] boost::json::object failure_error_view(std::string_view name, std::string_view message);

}  // namespace weft::serve_detail
