#pragma once

#include "audit_trail.hpp"
#include "authenticator.hpp"
#include "caller_gate.hpp"

#include <weft/async/task.hpp>

#include <string_view>

namespace weft::serve_detail {

/** A request that is let in. */
struct admission {
    principal who;
    caller_gate::pass place = {};  ///< Held until the answer is there.
};

/** The one place where it is decided who may do what: all routes go through it.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       Loop, options and documents outlive it. */
class access_control {
public:
    using problem_function = std::function<void(std::string_view what)>;

    access_control(serial_loop& loop, const auth_options& options, document_store& documents, problem_function problem)
        : loop_{loop}, options_{options}, authenticator_{loop, options, documents, problem}, gate_{options.limits},
          trail_{loop, documents, options.is_on() ? options.audit_lifetime : std::chrono::hours{0}, std::move(problem)}
    {
    }

    /** True if callers are asked who they are; else everybody is one caller without tenant, and may do everything. */
    [[nodiscard]] bool is_asking() const noexcept { return options_.is_on(); }
    /** Lets a caller do something, or throws.
     *  @par Errors   `http_error`: 401 who calls is not known, 403 it may not do that, 429 it is over a limit. */
    [[nodiscard]] task<admission> admit(const http_call& call, std::string_view resource, std::string_view action);

    /** The same for a caller that is known, on a connection that stays open.
     *  @return  Held until it is done. */
    [[nodiscard]] caller_gate::pass admit_known(const principal& who, const http_call& call, std::string_view resource,
                                                std::string_view action);

    [[nodiscard]] caller_gate& gate() noexcept { return gate_; }
    [[nodiscard]] audit_trail& trail() noexcept { return trail_; }

private:
    [[nodiscard]] task<principal> identify(const http_call& call);

    serial_loop& loop_;
    const auth_options& options_;
    authenticator authenticator_;
    caller_gate gate_;
    audit_trail trail_;
};

}  // namespace weft::serve_detail
