#pragma once

#include <weft/agent/host/webhook_gate.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/environment.hpp>
#include <weft/graph/graph_spec.hpp>

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <vector>

namespace weft {

/** A way into a graph of a server from outside: a timer, or a webhook of another system.
 *
 *      served_entry orders{.id = "orders", .graph = "shop"};
 *      orders.webhook = webhook_route{.path = "/hooks/orders", .secret = secret_string{"…"}};
 *      orders.input = {{"text", "$payload.order.note"}};
 *      options.entries.push_back(orders);
 *
 *  Each call begins a run in a thread of its own, which is kept. A timer is a cron of the store, which clients see
 *  among the others: of several servers one begins its run.
 *
 *  A webhook asks for no API key: it must be signed (`X-Hub-Signature-256`), and is answered with 202 and the run. One
 *  that comes again with the same `Idempotency-Key` within a day begins nothing, and gets the run of the first, also
 *  after a restart.
 *
 *  @par Errors   `errc::invalid_configuration` from `server`, which lists all that is wrong with all entries. */
struct served_entry {
    std::string id = {};     ///< Unique in the server; at most 200 bytes.
    std::string graph = {};  ///< Which graph is run.
    /** A timer, as `zone_schedule` reads it. */
    std::string cron = {};
    std::string time_zone = {};
    /** A timer without a calendar, in place of `cron`: at least a second. Its moments are the multiples of the span,
     *  counted from the beginning of 1970. */
    std::chrono::seconds every = std::chrono::seconds{0};
    std::optional<webhook_route> webhook = {};  ///< With a secret. Its `entry_point` is filled in.
    /** The input of a run. A text `$payload`, or `$payload.a.b`, stands for the body of the webhook, or a member of it;
     *  one that is not there is left out. `$$` at the beginning of a text is `$`. Empty: the whole payload. A timer has
     *  the payload `{}`. */
    boost::json::object input = {};
    std::string tenant = {};  ///< Whose threads and runs it makes.
};

/** The entries of a server that a graph file names, `graph_spec::entry_points`. Their ids have the name of the graph in
 *  front: `shop.orders`.
 *  @param environment   Where the secrets of webhooks are.
 *  @par Errors          `errc::invalid_configuration`: all variables that are not set. */
[[nodiscard]] std::vector<served_entry> entries_of(const graph_spec& spec, const environment_lookup& environment);

}  // namespace weft
