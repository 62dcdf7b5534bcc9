#pragma once

#include "api_call.hpp"
#include "refusal.hpp"
#include "route_description.hpp"

#include <weft/async/task.hpp>
#include <weft/net/server/http_reply.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::serve_detail {

/** What a caller must be allowed to do, in the words of `principal`'s scopes. */
struct route_access {
    std::string_view resource = {};
    std::string_view action = {};

    /** True if anybody may ask, without saying who they are. */
    [[nodiscard]] bool is_open() const noexcept { return resource.empty(); }
    /** True if answers have credentials: keys, or URLs of webhooks, which may have a token. */
    [[nodiscard]] bool shows_secrets() const noexcept { return resource == "keys" || resource == "crons"; }
    /** True if what is done changes or takes away what was there before; the audit log tells of it. */
    [[nodiscard]] bool is_change() const noexcept { return action == "update" || action == "delete"; }
};

/** One thing that clients can ask for.
 *
 *      {"GET", "/threads/{thread_id}/runs/{run_id}", {"threads", "read"}, show_run}
 */
struct route {
    using function = std::function<task<void>(api_call& call)>;

    std::string method;
    std::string pattern;  ///< Segments of a path; one in braces stands for any text that is not empty.
    route_access access;
    function handle;
    route_description description = {};
};

/** What a client gets when a request is refused, in the shape of errors that its protocol has. The status is that of
 *  the refusal as a rule; headers of the refusal are added. */
using refusal_form = http_reply (*)(const refusal& why);

/** The shape of LangGraph's Agent Server: `{"detail": …, "code": …}`. */
[[nodiscard]] http_reply detail_form(const refusal& why);

/** Finds the route of a request. A segment that is written out goes before one in braces.
 *
 *  @par Thread safety   Immutable once it is built. */
class route_table {
public:
    /** @par Errors  `errc::invalid_configuration`: two routes have the same method and pattern. */
    void add(route what);

    struct found {
        const route* which = nullptr;     ///< Null: there is none.
        std::vector<std::string> parts;   ///< What stood for the segments in braces, decoded.
        std::string allowed;              ///< Methods of the path, for the header `Allow`; empty: no such path.
    };
    /** A method `HEAD` finds the route of `GET`. */
    [[nodiscard]] found find(std::string_view method, std::string_view path) const;

    /** Refusals of a path and of all below it have another shape than `detail_form`, also where there is no route.
     *  @param prefix   Such as `/v1`. */
    void refuse_as(std::string prefix, refusal_form form) { forms_.emplace_back(std::move(prefix), form); }
    [[nodiscard]] refusal_form form_of(std::string_view path) const noexcept;

    /** In the order of their patterns. */
    [[nodiscard]] std::vector<const route*> all() const;

private:
    struct place {
        std::map<std::string, place, std::less<>> named;
        std::vector<place> any;                          // at most one
        std::map<std::string, route, std::less<>> routes;  // by method
    };
    static void collect(const place& at, std::vector<const route*>& all);
    [[nodiscard]] static const place* walk(const place& at, std::string_view path, std::vector<std::string>& parts);

    place root_;
    std::vector<std::pair<std::string, refusal_form>> forms_;
};

}  // namespace weft::serve_detail
