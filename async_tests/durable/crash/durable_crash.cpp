// Processes that run a graph of 200 steps and are killed with SIGKILL just before and just after every write of their
// store. Others recover, one of them killed again on the way, and everything is compared with the
// undisturbed run: state, steps, effects by key, and that nothing that was kept began again.
//
//     durable_crash sqlite
//     durable_crash postgres [--every 10] [--together 16] [--lanes 3]
//     durable_crash sqlite --graph agents   agents with tools, an MCP server and each other to talk to
//     durable_crash sqlite --graph research   the graph of the sample parallel_research
//     durable_crash sqlite --careless    a store that acknowledges what it does not keep: succeeds when that is noticed
//
// Exit status: 0, nothing is lost and nothing had twice; 1, something is; 77, PostgreSQL is not installed.

#include "agent_graph.hpp"
#include "crash_plan.hpp"
#include "durable/process.hpp"
#include "store/postgres_server.hpp"

#ifdef WEFT_HAS_POSTGRES
#endif

#include <weft/base/clock.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr unsigned worker_seconds_max = 240;

weft_crash::crash_plan plan_of(const std::vector<std::string>& words)
{
    weft_crash::crash_plan plan;
    if (words.empty()) throw std::runtime_error{"name a store: sqlite or postgres"};
    plan.kind = words[0];
    if (plan.kind == "postgres") {  // a recovery waits for a lifetime
        plan.together = 16;
        plan.lanes = 3;
    }
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (words[i] == "--careless") {
            plan.is_careless = true;
            continue;
        }
        if (i + 1 == words.size()) throw std::runtime_error{words[i] + " needs a word behind it"};
        if (words[i] == "--graph") {
            plan.graph = words[++i];
            continue;
        }
        const std::size_t number = std::stoull(words[i + 1]);
        if (number == 0) throw std::runtime_error{words[i] + " has to be at least 1"};
        if (words[i] == "--every") plan.every = number;
        else if (words[i] == "--together") plan.together = number;
        else if (words[i] == "--lanes") plan.lanes = number;
        else throw std::runtime_error{"unknown option " + words[i]};
        ++i;
    }
    return plan;
}

bool is_missing(const std::string& kind)
{
#ifdef WEFT_HAS_POSTGRES
    if (kind == "postgres") return !weft_tests::postgres_server::programs();
#endif
#ifdef WEFT_HAS_SQLITE
    if (kind == "sqlite") return false;
#endif
    return true;
}

int run(const weft_crash::crash_plan& plan)
{
    const auto began = weft::real_clock().now();
    const weft_crash::crash_report report = weft_crash::crash_everywhere(plan);
    const auto span = std::chrono::duration_cast<std::chrono::milliseconds>(weft::real_clock().now() - began);
    std::cout << plan.kind << ", " << plan.graph << ": " << report.visits << " visits and " << report.writes
              << " writes undisturbed; "
              << report.boundaries << " boundaries, " << report.reached << " reached, " << report.kills << " kills, "
              << report.losses << " leases lost; " << report.effects << " effects in " << report.calls << " calls; "
              << report.wrong.size()
              << " violations; " << span.count() << " ms\n";
    constexpr std::size_t shown_max = 20;
    for (std::size_t i = 0; i < report.wrong.size() && i < shown_max; ++i) std::cout << "  " << report.wrong[i] << '\n';
    if (report.reached * 10 < report.boundaries * 9) {
        std::cout << "  too few boundaries were reached\n";
        return 1;
    }
    return report.wrong.empty() != plan.is_careless ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments)
{
    const std::vector<std::string> words{arguments + 1, arguments + count};
    try {
        if (words.size() == 2 && words[0] == "--archive") {
            weft_tests::die_with_parent(worker_seconds_max);
            return weft_crash::serve_archive(words[1]);
        }
        if (!words.empty() && words[0] == "--worker") {
            weft_tests::die_with_parent(worker_seconds_max);
            return weft_crash::work(weft_crash::worker_orders::parse(words));
        }
        const weft_crash::crash_plan plan = plan_of(words);
        if (is_missing(plan.kind)) {
            std::cout << plan.kind << " is not installed: scripts/install-deps --services\n";
            return 77;
        }
        return run(plan);
    } catch (const std::exception& e) {
        std::cout << e.what() << '\n';
        return 1;
    }
}
