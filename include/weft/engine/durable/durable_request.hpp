#pragma once

#include <weft/engine/run_request.hpp>
#include <weft/store/record/run_record.hpp>
#include <weft/store/record/thread_key.hpp>

#include <string>
#include <utility>

namespace weft {

/** What to run durably: a request, whose thread names the history it belongs to, and what to do if that is busy. */
class durable_request {
public:
    /** A request as it is; so `durable.run(run_request{"t-1"}…)` can be written. */
    durable_request(run_request request) : request{std::move(request)} {}
    explicit durable_request(std::string thread) : request{std::move(thread)} {}

    /** The graph's name; by default the only one there is. */
    durable_request& of(std::string name) { graph = std::move(name); return *this; }
    durable_request& for_tenant(std::string name) { tenant = std::move(name); return *this; }
    /** What to do if the thread has a run that is under way. One that waits is resumed instead, unless it is to be
     *  replaced. */
    durable_request& on_busy(busy_policy policy) { busy = policy; return *this; }
    /** A second request with this key gets the run of the first; unique within the tenant. */
    durable_request& idempotent(std::string key) { idempotency_key = std::move(key); return *this; }

    /** Begins at the graph's start with the state that the thread has, though its last run failed or was cancelled and
     *  could go on; what that run had in hand is dropped. The history keeps it. */
    durable_request& anew() { begins_anew = true; return *this; }

    /** Gives the run its id, for a server that has told it before. */
    durable_request& identified(run_id as) { id = as; return *this; }
    /** What the run is found by, and who hears of its end; see `new_run::metadata` and `new_run::webhook`. */
    durable_request& noted(std::string metadata_json, std::string webhook_url = std::string{})
    {
        metadata = std::move(metadata_json);
        webhook = std::move(webhook_url);
        return *this;
    }
    /** No worker takes it before; of those that wait, one with a higher priority goes first. */
    durable_request& scheduled(std::optional<wall_time> not_before_moment, std::int32_t with_priority = 0)
    {
        not_before = not_before_moment;
        priority = with_priority;
        return *this;
    }

    [[nodiscard]] thread_key key() const { return thread_key{request.thread(), tenant}; }

    run_request request;
    std::string graph;
    std::string tenant;
    std::string idempotency_key;
    run_id id;                            ///< Nil: the engine makes one.
    std::string metadata = "{}";          ///< A JSON object.
    std::string webhook;
    std::int32_t priority = 0;
    std::optional<wall_time> not_before;
    busy_policy busy = busy_policy::reject;
    bool begins_anew = false;
};

}  // namespace weft
