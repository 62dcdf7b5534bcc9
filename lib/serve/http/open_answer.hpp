#pragma once

#include "api_call.hpp"
#include "serve/auth/access_watch.hpp"

#include <weft/async/task.hpp>
#include <weft/net/text/http_headers.hpp>

#include <string>

namespace weft::serve_detail {

/** Makes the last bytes of a stream that ends before its time. */
using last_word_function = std::string (*)(const std::string& why);

/** Adds what keeps an answer that stays open out of caches, and proxies from holding pieces of it back. */
void forbid_buffering(http_headers& headers);

/** Gives an answer that stays open, for as long as its caller may have it. Then `work` is stopped, and the client told
 *  why: with the last word if its stream has begun, else with 401.
 *  @par Errors      Those of `work`; `http_error` 401.
 *  @par Lifetimes   Watch and call outlive the task. */
[[nodiscard]] task<void> answer_while_allowed(access_watch& watch, api_call& call, task<void> work,
                                              last_word_function last_word);

}  // namespace weft::serve_detail
