// Four worker processes on one PostgreSQL store, while processes are killed, stopped and restarted.
//
//     postgres_chaos                       a short run with one seed
//     postgres_chaos --seeds 11,21,22 --long
//     postgres_chaos --unfenced            workers without fences: succeeds when the checks find their damage
//
// Exit status: 0, all as it should be; 1, it is not; 77, PostgreSQL is not installed.

#include "chaos_plan.hpp"
#include "durable/process.hpp"
#include "store/postgres_server.hpp"

#include <exception>
#include <iostream>
#include <sstream>
#include <string>

namespace {

weft_chaos::chaos_plan plan_of(int count, char** words)
{
    weft_chaos::chaos_plan plan;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--unfenced") {
            plan.is_unfenced = true;
            plan.trouble = std::chrono::seconds{8};
            plan.seeds = {21, 11, 22, 31, 32, 33, 41};  // until one does damage
            plan.patience = std::chrono::seconds{20};   // damaged runs need not end
        } else if (word == "--long") {
            plan.threads = 20;
            plan.runs = 10;
            plan.trouble = std::chrono::seconds{60};
            plan.patience = std::chrono::seconds{300};
        } else if (word == "--seeds" && i + 1 < count) {
            plan.seeds.clear();
            std::istringstream list{words[++i]};
            for (std::string seed; std::getline(list, seed, ',');) plan.seeds.push_back(std::stoull(seed));
        } else {
            throw std::runtime_error{"unknown option " + word};
        }
    }
    return plan;
}

int run_chaos(const weft_chaos::chaos_plan& plan)
{
    bool is_broken = false;
    for (const std::uint64_t seed : plan.seeds) {
        const std::vector<std::string> wrong = weft_chaos::make_chaos(plan, seed);
        for (std::size_t i = 0; i < wrong.size() && i < 20; ++i) std::cout << "  " << wrong[i] << '\n';
        std::cout << "  " << wrong.size() << " violations\n";
        is_broken = is_broken || !wrong.empty();
        if (is_broken) break;
    }
    return is_broken == plan.is_unfenced ? 0 : 1;
}

}  // namespace

int main(int count, char** words)
{
    try {
        if (count == 7 && std::string{words[1]} == "--worker") {
            constexpr unsigned seconds_max = 600;
            weft_tests::die_with_parent(seconds_max);
            weft_chaos::worker_orders orders;
            orders.connection = words[2];
            orders.schema = words[3];
            orders.seed = std::stoull(words[4]);
            orders.steps = std::stoi(words[5]);
            orders.is_unfenced = std::string{words[6]} == "unfenced";
            return weft_chaos::work(orders);
        }
        if (!weft_tests::postgres_server::programs()) {
            std::cout << "PostgreSQL is not installed: scripts/install-deps --services\n";
            return 77;
        }
        return run_chaos(plan_of(count, words));
    } catch (const std::exception& e) {
        std::cout << e.what() << '\n';
        return 1;
    }
}
