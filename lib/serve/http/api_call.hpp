#pragma once

#include "serve/auth/audit_trail.hpp"
#include "serve/auth/credential.hpp"

#include <weft/async/task.hpp>
#include <weft/base/text/trace_context.hpp>
#include <weft/net/server/http_call.hpp>
#include <weft/serve/principal.hpp>
#include <weft/store/record/thread_key.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

/** A request to one of the routes: who calls, the variable parts of its path, its query, its body as JSON.
 *
 *  @par Lifetimes   The call of the HTTP server, the caller and the trail outlive it. */
class api_call {
public:
    api_call(http_call& http, std::vector<std::string> parts, const principal& who, audit_trail& trail)
        : http_{http}, parts_{std::move(parts)}, who_{who}, trail_{trail}
    {
    }

    [[nodiscard]] http_call& http() noexcept { return http_; }
    [[nodiscard]] const http_call& http() const noexcept { return http_; }
    [[nodiscard]] const principal& who() const noexcept { return who_; }
    /** By what the caller was let in. */
    [[nodiscard]] const credential& by() const noexcept { return by_; }
    void let_in_by(credential by) { by_ = std::move(by); }
    [[nodiscard]] const std::string& tenant() const noexcept { return who_.tenant; }
    /** Has the audit log tell that the caller has done something here. @param action  Such as `threads.update`. */
    void audit(std::string action) { trail_.tell(who_, std::move(action), http_.path(), http_.peer()); }
    /** The caller's thread of an id. */
    [[nodiscard]] thread_key thread(std::string id) const { return thread_key{std::move(id), who_.tenant}; }
    /** The caller's thread whose id is the first variable part of the path. */
    [[nodiscard]] thread_key thread() const { return thread(part(0)); }
    /** A variable part of the path, decoded, by its place from 0. */
    [[nodiscard]] const std::string& part(std::size_t index) const { return parts_.at(index); }
    /** The trace that the caller's request belongs to; null: none. */
    [[nodiscard]] std::shared_ptr<const trace_context> trace() const;
    /** A value of the query, decoded; nothing if it is not there. */
    [[nodiscard]] std::optional<std::string> query(std::string_view name) const;

    /** Reads the body as a JSON object; an empty body is an empty object.
     *  @par Errors  `http_error`: 415 it is not said to be JSON, 422 it is none, or no object; those of `read_body`. */
    [[nodiscard]] task<boost::json::object> read_object();

    /** Reads the body as JSON of any kind; nothing if it is empty.
     *  @par Errors  As `read_object`. */
    [[nodiscard]] task<std::optional<boost::json::value>> read_json();

    /** The same as `read_object` for a JSON list. */
    [[nodiscard]] task<boost::json::array> read_array();

    [[nodiscard]] task<void> reply(int status, const boost::json::value& body);
    /** The same with a header more. */
    [[nodiscard]] task<void> reply(int status, const boost::json::value& body, std::string header, std::string value);
    /** With a body that is JSON already. */
    [[nodiscard]] task<void> reply_text(int status, std::string json);
    /** Without a body. */
    [[nodiscard]] task<void> reply_nothing(int status);

private:
    http_call& http_;
    std::vector<std::string> parts_;
    const principal& who_;
    audit_trail& trail_;
    credential by_ = {};
};

}  // namespace weft::serve_detail
