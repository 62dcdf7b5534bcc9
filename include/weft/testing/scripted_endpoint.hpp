#pragma once

#include <weft/base/chrono.hpp>
#include <weft/testing/endpoint/scripted_endpoint_counts.hpp>
#include <weft/testing/endpoint/scripted_endpoint_match.hpp>
#include <weft/testing/endpoint/scripted_endpoint_options.hpp>
#include <weft/testing/endpoint/scripted_endpoint_request.hpp>
#include <weft/testing/scripted_reply.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weft::testing {

class scripted_endpoint_script;

/** One rule of a scripted endpoint; the functions return the rule itself.
 *
 *  The n-th request that the rule is for gets its n-th reply. When all are used, the rule is for no
 *  further request, and later rules get their turn.
 *
 *  @par Thread safety   From any OS thread, also while requests come.
 *  @par Lifetimes       May outlive the endpoint, to no effect.
 */
class scripted_endpoint_rule {
public:
    /** Makes a reply out of the request, on the OS thread of the endpoint. */
    using reply_function = std::function<scripted_reply(const scripted_endpoint_request&)>;

    scripted_endpoint_rule(std::shared_ptr<scripted_endpoint_script> script, std::size_t index);

    /** Adds a reply for one request. */
    scripted_endpoint_rule& reply(scripted_reply reply);
    scripted_endpoint_rule& reply(reply_function make);
    /** Adds a reply for all further requests, or for none if there are none. */
    scripted_endpoint_rule& reply_always(scripted_reply reply);
    scripted_endpoint_rule& reply_always(reply_function make);

private:
    std::shared_ptr<scripted_endpoint_script> script_;
    std::size_t index_;
};

/** A model endpoint on this machine that answers `POST …/chat/completions` as its script says: over
 *  real TLS with a certificate authority made for the occasion, streamed in real time, and as wrong
 *  as the script wants it.
 *
 *      scripted_endpoint endpoint;
 *      endpoint.when(system_contains("You plan"))
 *          .reply(text("1. Read. 2. Think.").first_token(300ms).between_tokens(20ms));
 *
 *  Rules are asked in the order of their making. A chat request that is not well-formed gets a
 *  status 400 before; one that no rule is for gets a status 500 that names the request, and
 *  `check_complete` tells of it. Other requests may have rules too (`path_ends_with`); without one
 *  they get a 404.
 *
 *  HTTP/1.1 with keep-alive, on 127.0.0.1 and a free port, on an OS thread of its own. It needs 2 to
 *  10 µs for each write of a stream, so that it can feed thousands of streams at once.
 *
 *  @par Thread safety   All operations from any OS thread.
 *  @par Errors          The constructor: `errc::invalid_configuration` when there is no free port.
 */
class scripted_endpoint {
public:
    explicit scripted_endpoint(const scripted_endpoint_options& options = {});
    /** Closes all connections and joins the OS thread. */
    ~scripted_endpoint();
    scripted_endpoint(const scripted_endpoint&) = delete;
    scripted_endpoint& operator=(const scripted_endpoint&) = delete;

    /** Adds a rule, which is for no request until it gets a reply. */
    scripted_endpoint_rule when(scripted_endpoint_match match);

    /** `https://localhost:40123/v1`; `http://…` for the plain transport. */
    [[nodiscard]] std::string url() const;
    [[nodiscard]] std::uint16_t port() const noexcept;
    /** The root that a client has to trust. */
    [[nodiscard]] const std::string& ca_pem() const noexcept;

    [[nodiscard]] scripted_endpoint_counts counts() const;
    /** The requests seen, in the order of their numbers, up to `requests_kept_max` of the newest. */
    [[nodiscard]] std::vector<scripted_endpoint_request> requests() const;
    [[nodiscard]] std::vector<scripted_endpoint_early_close> early_closes() const;

    /** Blocks until the counts are as wanted, or the time is up.
     *
     *  @param is_reached   Asked after every change, on this OS thread; must not call the endpoint.
     *  @return             Whether they are. */
    [[nodiscard]] bool
    wait_until(const std::function<bool(const scripted_endpoint_counts&)>& is_reached,
               std::chrono::nanoseconds patience = std::chrono::seconds{10}) const;

    /** What was asked beyond the script, and what of the script was never asked; a line for each.
     *  Empty when all is well. */
    [[nodiscard]] std::string complaints() const;

    /** Makes sure that the script and the requests matched.
     *
     *  @par Errors
     *    - `errc::script_exhausted`  they did not; the detail is what `complaints` says. */
    void check_complete() const;

    /** Closes all connections at once, those in the middle of a reply too, and returns when they are
     *  closed. New ones are welcome. */
    void drop_connections();

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace weft::testing
