#pragma once

#include <weft/engine/trace/run_trace.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** What the critical path is made of besides the visits. */
struct run_lineage {
    struct part {
        std::size_t instance;              // that the visit happened in
        std::vector<std::size_t> inside;   // by attempt: the instance within it, or `none`
    };
    std::vector<part> visits;
    std::vector<std::size_t> last;         // by instance: the visit that its end waited for, or `none`
};

/** The critical path, from the beginning of the run to its end. */
[[nodiscard]] std::vector<run_trace::step> critical_path_of(const run_trace& trace, const run_lineage& lineage);

/** Reads the events of a run and keeps who came after whom. */
class run_tracer {
public:
    static constexpr std::size_t none = run_trace::none;

    /** What is known of a branch that is open: of a branch of the scheduler. */
    struct lane {
        std::size_t last = none;          // the visit that it has behind it, or is at
        std::optional<std::uint32_t> parent;
        std::size_t joined = none;        // the visit that ended its fan-out's branches so far
        std::size_t forked_at = none;     // the number of the event that opened its fan-out
    };
    struct arrival {
        std::size_t after;
        std::uint32_t branch;
    };
    /** One run of one graph: the outermost, or one within a visit. */
    struct instance {
        std::size_t within = none;
        std::uint32_t depth = 0;
        std::map<std::uint32_t, lane> lanes;
        std::map<std::string, arrival, std::less<>> arrivals;  // by node: the edge that was taken last
        std::map<std::string, std::uint32_t, std::less<>> forks;  // by node: the branch that fanned out there
        std::map<std::pair<std::string, std::uint32_t>, std::size_t> visits;  // by node and number
        std::size_t last_ended = none;
        std::size_t ended_at = none;      // the number of that event
        std::size_t last_stopped = none;
        std::size_t stopped_at = none;
    };

    void add(const run_event& event);
    [[nodiscard]] run_trace take();

private:
    using key = std::pair<std::string, std::string>;  // address, and which visits

    [[nodiscard]] std::size_t instance_of(const run_event& event);
    [[nodiscard]] std::size_t new_instance(const run_event& event);
    void start(const run_event& event, instance& in);
    void end(const run_event& event, instance& in);
    void retry(const run_event& event, instance& in);
    void hear(const run_event& event, instance& in);
    void take_edge(const run_event& event, instance& in);
    void skip(const run_event& event, instance& in);
    void fork(const run_event& event, instance& in);
    void end_branch(const run_event& event, instance& in);
    void join(const run_event& event, instance& in);
    void remark(const run_event& event);
    void finish(const run_event& event);
    [[nodiscard]] std::size_t cause_of(const run_event& event, instance& in, lane& of) const;
    [[nodiscard]] std::size_t open_visit(const run_event& event, instance& in) const;
    [[nodiscard]] key key_within(const run_trace::visit& visit, const run_event& event) const;
    void close_open_visits();
    [[nodiscard]] std::size_t last_of(const instance& in) const;

    run_trace trace_;
    std::vector<instance> instances_;
    std::map<key, std::size_t> instance_by_key_;
    std::map<key, std::size_t> at_work_;   // visits that a graph may be within
    run_lineage lineage_;
    std::map<std::pair<std::pair<std::string, std::string>, std::pair<std::string, std::uint32_t>>, std::size_t> edges_;
    std::size_t events_ = 0;
    run_trace::span now_{};
};

}  // namespace weft
