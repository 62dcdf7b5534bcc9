#include "bench.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weft_bench {

namespace {

// Between two values where the position falls between them.
double quantile(const std::vector<double>& sorted, double share)
{
    const double position = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double median(const std::vector<double>& sorted) { return quantile(sorted, 0.5); }

void add(benchmarks& all, benchmarks group) { std::move(group.begin(), group.end(), std::back_inserter(all)); }

bool takes_one_turn = false;

}  // namespace

void take_one_turn_only() noexcept { takes_one_turn = true; }
bool takes_one_turn_only() noexcept { return takes_one_turn; }

measurement take_cold_turns(int rounds, const std::function<double()>& weft, const std::function<double()>& floor)
{
    std::vector<double> of_weft;
    std::vector<double> of_floor;
    for (int round = 0; round < (takes_one_turn ? 1 : rounds); ++round) {
        of_weft.push_back(weft());
        of_floor.push_back(floor());
    }
    std::sort(of_weft.begin(), of_weft.end());
    std::sort(of_floor.begin(), of_floor.end());
    measurement found{median(of_weft), median(of_floor), 0, of_weft.front(), of_floor.front()};
    if (found.weft > 0) found.spread = (quantile(of_weft, 0.75) - quantile(of_weft, 0.25)) / found.weft;
    return found;
}

measurement take_turns(int rounds, const std::function<double()>& weft, const std::function<double()>& floor)
{
    if (!takes_one_turn) {
        weft();
        floor();
    }
    return take_cold_turns(rounds, weft, floor);
}

benchmarks all_benchmarks()
{
    benchmarks all;
    for (auto* group : {&chain_benchmarks, &pipe_benchmarks, &fan_out_benchmarks, &in_flight_benchmarks,
                        &memory_benchmarks, &wait_benchmarks, &stop_benchmarks, &stop_waits_benchmarks,
                        &build_benchmarks, &spec_benchmarks, &route_benchmarks, &draw_benchmarks, &history_benchmarks,
                        &checkpoint_benchmarks, &durable_benchmarks, &resume_benchmarks, &commit_benchmarks,
                        &lives_benchmarks, &wake_up_benchmarks, &queued_benchmarks, &follow_benchmarks,
                        &search_benchmarks, &span_benchmarks, &task_benchmarks, &stream_benchmarks,
                        &stream_memory_benchmarks, &call_benchmarks, &cancel_benchmarks, &limiter_benchmarks,
                        &hedge_benchmarks, &agent_benchmarks, &vector_benchmarks, &pgvector_benchmarks,
                        &serve_benchmarks, &mass_benchmarks, &stall_benchmarks, &first_event_benchmarks,
                        &drain_benchmarks, &parked_benchmarks, &audience_benchmarks, &protocol_benchmarks})
        add(all, group());
    return all;
}

}  // namespace weft_bench
