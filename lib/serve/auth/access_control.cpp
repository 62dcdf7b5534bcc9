#include "access_control.hpp"

#include <weft/net/server/http_call.hpp>
#include <weft/net/server/http_error.hpp>

#include <exception>
#include <utility>

namespace weft::serve_detail {

task<admission> access_control::admit(const http_call& call, std::string_view resource, std::string_view action)
{
    admission admitted;
    admitted.who = co_await identify(call);
    admitted.place = admit_known(admitted.who, call, resource, action);
    co_return admitted;
}

caller_gate::pass access_control::admit_known(const principal& who, const http_call& call, std::string_view resource,
                                              std::string_view action)
{
    const bool is_allowed =
        who.may(resource, action) && (!options_.authorize || options_.authorize(who, resource, action));
    if (!is_allowed) {
        trail_.tell_refused("forbidden: " + who.name, call.path(), call.peer());
        throw http_error{403, "forbidden",
                         "the caller may not do that: it needs the scope " + std::string{resource} + ':' +
                             std::string{action}};
    }
    return gate_.enter(who, loop_.now());
}

task<principal> access_control::identify(const http_call& call)
{
    std::exception_ptr failure;
    principal who;
    try {
        who = co_await authenticator_.authenticate(call);
    } catch (const http_error& refused) {
        failure = std::current_exception();
        if (refused.status() == 401) trail_.tell_refused(refused.what(), call.path(), call.peer());
    }
    if (failure) std::rethrow_exception(failure);
    co_return who;
}

}  // namespace weft::serve_detail
