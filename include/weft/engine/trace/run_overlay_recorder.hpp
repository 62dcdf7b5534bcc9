#pragma once

#include <weft/engine/run_event.hpp>
#include <weft/graph/build/run_overlay.hpp>

#include <string>
#include <vector>

namespace weft {

/** Makes what is laid over a drawing out of the events of a run, those of graphs within nodes included.
 *
 *  A run that was paused and goes on may be recorded by the same recorder.
 *
 *  @par Thread safety   None; events of one run come on one loop.
 *  @par Example         samples/2_branch_and_loop.cpp [draw]
 */
class run_overlay_recorder {
public:
    explicit run_overlay_recorder(graph of) : graph_{std::move(of)}, overlay_{graph_} {}

    /** Takes note of an event; give it to `run_request::on_event`, or feed it from an `event_stream`. */
    void add(const run_event& event);

    [[nodiscard]] const run_overlay& overlay() const noexcept { return overlay_; }

private:
    /** An attempt of a node that has not ended. */
    struct open_attempt {
        std::string address;
        node_index node;
        std::uint32_t branch;
        time_point since;
    };
    struct place {
        const graph* of;
        run_overlay* ran;
    };

    [[nodiscard]] place find(const std::string& address);
    [[nodiscard]] static place find_inner(place outer, std::string_view address);
    static void begin(const run_event& event, place at);
    void start(const run_event& event, place at);
    void end(const run_event& event, place at, bool has_failed);
    static void take(const run_event& event, place at);

    graph graph_;
    run_overlay overlay_;
    std::vector<open_attempt> open_;
};

}  // namespace weft
