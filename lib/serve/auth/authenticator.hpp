#pragma once

#include "credential.hpp"
#include "jwt_authority.hpp"

#include <weft/async/task.hpp>
#include <weft/serve/auth_options.hpp>
#include <weft/serve/principal.hpp>
#include <weft/store/service/api_key_table.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace weft::serve_detail {

/** Who calls, and how that is known. */
struct known_caller {
    principal who;
    credential by = {};
};

/** Says who calls, by all the ways that are set; see `auth_options`.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       Loop, options and documents outlive it. */
class authenticator {
public:
    using problem_function = std::function<void(std::string_view what)>;

    authenticator(serial_loop& loop, const auth_options& options, document_store& documents, problem_function problem);

    /** @par Errors   `http_error` 401: none of the ways knows the caller; those of hook and store. */
    [[nodiscard]] task<known_caller> authenticate(const http_call& call);
    /** A key was revoked: it does not work here any more. */
    void forget_key(const std::string& hash) { known_.erase(hash); }

private:
    struct known_key {
        std::optional<principal> who;
        time_point until;
    };
    [[nodiscard]] task<std::optional<principal>> find_key(std::string hash);

    serial_loop& loop_;
    const auth_options& options_;
    api_key_table keys_;
    std::optional<jwt_authority> tokens_;
    std::unordered_map<std::string, known_key> known_;  // by hash
};

}  // namespace weft::serve_detail
