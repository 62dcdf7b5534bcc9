#include "access_control.hpp"

#include <weft/base/error.hpp>
#include <weft/net/server/http_call.hpp>
#include <weft/net/server/http_error.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace weft::serve_detail {

namespace {

std::chrono::hours audit_lifetime_of(const auth_options& options)
{
    return options.is_on() ? options.audit_lifetime : std::chrono::hours{0};
}

/** Whether what a credential stands for is still among the ways. */
bool is_known_way(const credential& by, const auth_options& options)
{
    const auto is_subject = [&](const known_certificate& known) { return known.subject == by.name; };
    switch (by.what) {
    case credential::kind::none: return true;
    case credential::kind::api_key: return options.api_keys;
    case credential::kind::token: return options.jwt.has_value();
    case credential::kind::certificate:
        return std::any_of(options.certificates.begin(), options.certificates.end(), is_subject);
    }
    return false;
}

}  // namespace

access_control::access_control(serial_loop& loop, auth_options options, document_store& documents,
                               problem_function problem, std::shared_ptr<caller_gate> gate)
    : loop_{loop}, documents_{documents}, problem_{problem},
      rules_{std::make_shared<rules>(loop, std::move(options), documents, problem)},
      gate_{gate ? std::move(gate) : std::make_shared<caller_gate>(rules_->options.limits)},
      trail_{loop, documents, audit_lifetime_of(rules_->options), problem}, watch_{loop, documents, problem}
{
}

void access_control::change(auth_options options)
{
    if (options.is_on() != is_asking())
        throw error{errc::invalid_configuration, "server: auth",
                    "whether callers are asked who they are cannot change while the server runs: start it again"};
    rules_ = std::make_shared<rules>(loop_, std::move(options), documents_, problem_);
    gate_->change(rules_->options.limits, loop_.now());
    trail_.keep_for(audit_lifetime_of(rules_->options));
    watch_.end_unless([this](const credential& by) { return is_known_way(by, rules_->options); },
                      "the server does not let callers in by that any more");
}

void access_control::end_key(const std::string& hash)
{
    rules_->ways.forget_key(hash);
    watch_.end_all(credential::kind::api_key, hash, "the API key was revoked");
}

task<admission> access_control::admit(const http_call& call, std::string_view resource, std::string_view action)
{
    admission admitted;
    known_caller known = co_await identify(call);
    admitted.who = std::move(known.who);
    admitted.by = std::move(known.by);
    admitted.place = admit_known(admitted.who, call, resource, action);
    co_return admitted;
}

caller_gate::pass access_control::admit_known(const principal& who, const http_call& call, std::string_view resource,
                                              std::string_view action)
{
    require_allowed(who, call, resource, action);
    return gate_->enter(who, loop_.now());
}

void access_control::require_allowed(const principal& who, const http_call& call, std::string_view resource,
                                     std::string_view action)
{
    const bool is_allowed =
        who.may(resource, action) && (!options().authorize || options().authorize(who, resource, action));
    if (!is_allowed) {
        trail_.tell_refused("forbidden: " + who.name, call.path(), call.peer());
        throw http_error{403, "forbidden",
                         "the caller may not do that: it needs the scope " + std::string{resource} + ':' +
                             std::string{action}};
    }
}

task<known_caller> access_control::identify(const http_call& call)
{
    std::exception_ptr failure;
    known_caller known;
    const std::shared_ptr<rules> by = rules_;
    try {
        known = co_await by->ways.authenticate(call);
    } catch (const http_error& refused) {
        failure = std::current_exception();
        if (refused.status() == 401) trail_.tell_refused(refused.what(), call.path(), call.peer());
    }
    if (failure) std::rethrow_exception(failure);
    co_return known;
}

}  // namespace weft::serve_detail
