#pragma once

#include <weft/async/task.hpp>
#include <weft/model/model_error.hpp>
#include <weft/net/http_request.hpp>
#include <weft/net/http_response.hpp>
#include <weft/net/secret_string.hpp>

#include "provider.hpp"

#include <functional>
#include <string>

/** One request to a provider, whatever it asks, with the key that counts now. */
namespace weft::model_detail {

/** A response, whatever it says, and what its request was sent with. */
struct provider_answer {
    // Declared, since an aggregate would not survive g++ 12 as the parameter of a coroutine (docs/COMPILERS.md).
    explicit provider_answer(http_response received) noexcept : response{std::move(received)} {}

    http_response response;
    secret_string key;  // of the source of credentials
    int refused = 0;    // requests that were answered with 401 before
};

/** Writes a request with a key; called again for another key. */
using request_writer = std::function<http_request(const secret_string& key)>;

/** Sends a request. With a source of keys, a response with status 401 makes it ask for another key and send the request
 *  once more.
 *
 *  @param where   The model and its endpoint, for errors.
 *
 *  @par Errors
 *    - `model_error` with `model_phase::request`   nothing of a response came, or there is no key.
 *    - what `write` throws, as it is.
 *  @par Lifetimes   The provider outlives it. */
[[nodiscard]] task<provider_answer> send_with_key(const provider& from, std::string where, request_writer write);

/** The key that the request of an answer was sent with. */
[[nodiscard]] const secret_string& key_of(const provider& from, const provider_answer& answer) noexcept;

/** What a response that is no reply says; it may break off without becoming something else.
 *
 *  @par Errors      `errc::cancelled` only.
 *  @par Lifetimes   The provider outlives it. */
[[nodiscard]] task<model_error> refusal_of(const provider& from, std::string where, provider_answer answer);

/** Throws that nothing of a reply came: the wire failed, or the call was stopped. */
[[noreturn]] void fail_request(const std::string& where, const error& cause);

}  // namespace weft::model_detail
