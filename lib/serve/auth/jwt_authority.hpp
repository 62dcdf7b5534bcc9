#pragma once

#include "jwt_check.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task.hpp>
#include <weft/async/wait/slot_limiter.hpp>

#include <functional>
#include <string>
#include <vector>

namespace weft::serve_detail {

/** Checks tokens with the keys of their issuer, which it fetches when they are old or do not know a token.
 *
 *  @par Thread safety   None: it belongs to its loop. */
class jwt_authority {
public:
    /** Gets the JSON of the issuer's keys. */
    using fetch_function = std::function<task<std::string>()>;
    using problem_function = std::function<void(std::string_view what)>;

    /** @param fetch    Empty: over HTTP, from `jwt_options::jwks_url`.
     *  @param problem  Told why keys could not be fetched.
     *  @par Errors     `errc::invalid_configuration`, with all that is wrong in the options. */
    jwt_authority(serial_loop& loop, jwt_options options, fetch_function fetch = {}, problem_function problem = {});

    /** @return  The verdict. Waits for keys if the token needs newer ones and they may be fetched again. */
    [[nodiscard]] task<jwt_verdict> check(std::string token);

private:
    [[nodiscard]] task<void> refresh();
    [[nodiscard]] bool may_fetch() const noexcept { return fetch_ && loop_.now() >= next_fetch_; }

    serial_loop& loop_;
    jwt_options options_;
    fetch_function fetch_;
    problem_function problem_;
    std::vector<jwk> keys_;
    time_point next_fetch_{};    // not before
    time_point fresh_until_{};
    std::size_t fetches_ = 0;
    slot_limiter one_fetch_{1};
};

}  // namespace weft::serve_detail
