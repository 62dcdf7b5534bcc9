#pragma once

#include "access_watch.hpp"
#include "audit_trail.hpp"
#include "authenticator.hpp"
#include "caller_gate.hpp"

#include <weft/async/task.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** A request that is let in. */
struct admission {
    principal who;
    credential by = {};
    caller_gate::pass place = {};  ///< Held until the answer is there.
};

/** The one place where it is decided who may do what: all routes go through it.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       Loop and documents outlive it. */
class access_control {
public:
    using problem_function = std::function<void(std::string_view what)>;

    /** @param gate   Of all loops of the server; null: it has one loop. */
    access_control(serial_loop& loop, auth_options options, document_store& documents, problem_function problem,
                   std::shared_ptr<caller_gate> gate);

    /** As they are now. */
    [[nodiscard]] const auth_options& options() const noexcept { return rules_->options; }
    /** True if callers are asked who they are; else everybody is one caller without tenant, and may do everything. */
    [[nodiscard]] bool is_asking() const noexcept { return options().is_on(); }
    /** Other ways to authenticate, limits and times, from the next request on. What is open ends if its way is gone.
     *  @par Errors   `errc::invalid_configuration`: as from `server`, or callers would be asked who were not before, or
     *                the other way round. Nothing has changed then. */
    void change(auth_options options);
    /** Lets a caller do something, or throws.
     *  @par Errors   `http_error`: 401 who calls is not known, 403 it may not do that, 429 it is over a limit. */
    [[nodiscard]] task<admission> admit(const http_call& call, std::string_view resource, std::string_view action);

    /** The same for a caller that is known, on a connection that stays open.
     *  @return  Held until it is done. */
    [[nodiscard]] caller_gate::pass admit_known(const principal& who, const http_call& call, std::string_view resource,
                                                std::string_view action);
    /** The same for a further action of a call that was let in: it counts as no other call.
     *  @par Errors   `http_error` 403. */
    void require_allowed(const principal& who, const http_call& call, std::string_view resource,
                         std::string_view action);
    /** A key was revoked here: it works no more, and what it has open ends. */
    void end_key(const std::string& hash);

    [[nodiscard]] caller_gate& gate() noexcept { return *gate_; }
    [[nodiscard]] audit_trail& trail() noexcept { return trail_; }
    [[nodiscard]] access_watch& watch() noexcept { return watch_; }

private:
    struct rules {
        rules(serial_loop& loop, auth_options with, document_store& documents, problem_function problem)
            : options{std::move(with)}, ways{loop, options, documents, std::move(problem)}
        {
        }
        const auth_options options;
        authenticator ways;
    };
    [[nodiscard]] task<known_caller> identify(const http_call& call);

    serial_loop& loop_;
    document_store& documents_;
    problem_function problem_;
    std::shared_ptr<rules> rules_;  // a request that is being let in has its own copy
    const std::shared_ptr<caller_gate> gate_;
    audit_trail trail_;
    access_watch watch_;
};

}  // namespace weft::serve_detail
