#pragma once

#include "event_queue.hpp"

#include "engine/scheduler/scheduler.hpp"

#include <weft/engine/run_event.hpp>
#include <weft/graph/node_context.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

struct route_choice;
struct run_core;

/** Tells those who watch a run what happens in it: the request's watcher, and the subscribers.
 *
 *  @par Thread safety   None: on the run's loop only.
 *  @par Lifetimes       The run owns it, from the moment when something watches.
 */
class run_events {
public:
    explicit run_events(run_core& core);
    ~run_events();
    run_events(const run_events&) = delete;
    run_events& operator=(const run_events&) = delete;

    [[nodiscard]] event_stream subscribe(slow_subscriber rule);
    /** Whether a subscriber may make the run wait. */
    [[nodiscard]] bool may_hold_run() const noexcept { return may_hold_run_; }
    /** Whether one does. */
    [[nodiscard]] bool holds_run() const;

    /** Numbers an event, names the run in it and hands it on. */
    void emit(run_event event);
    void notify_started();
    /** The last event: the run is over, or paused. */
    void notify_ended();
    /** A node says something while it works. */
    void notify_output(const node_context& from, std::string_view kind, std::string_view text);
    void notify_node(run_event::kind what, const node_context& node, branch_index branch, std::string text = {});
    /** Lets the request change what a node that has succeeded has written. @return  What does the rest, or nothing. */
    [[nodiscard]] run_request::writes_rest amend_writes(node_context& node, branch_index branch);
    void notify_question(run_event::kind what, const node_context& node, branch_index branch,
                         const std::string& address, std::string text = {},
                         std::shared_ptr<const boost::json::value> about = nullptr);
    void notify_notice(const action& notice);
    void notify_route(const route_choice& choice, const graph_node& from);

private:
    static void hear_room(void* self);

    run_core& core_;
    std::vector<std::weak_ptr<event_stream::queue>> subscribers_;
    std::uint64_t sequence_ = 0;
    bool may_hold_run_ = false;
};

}  // namespace weft
