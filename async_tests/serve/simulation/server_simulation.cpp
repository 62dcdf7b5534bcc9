// A server, its store, its network and its clients in one simulation, seed by seed: what breaks a promise of the server
// is told with the seed, and the command that plays it again.
//
//     server_simulation [--seeds 2000] [--first 1]     plays seeds
//     server_simulation --seed 17                      plays one, and prints its journal
//     server_simulation --twice 20                     plays each seed twice: the journals must be equal
//     server_mutants --fault NAME --found-within 1000  a server with a fault: succeeds when a seed finds it
//
// Exit status: 0, every promise is kept, or the fault is found; 1, it is not.

#include "sim_faults.hpp"
#include "sim_plan.hpp"

#include <charconv>
#include <chrono>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

using server_simulation::play_seed;
using server_simulation::sim_outcome;

struct wishes {
    std::uint64_t seeds = 100;
    std::uint64_t first = 1;
    std::uint64_t one = 0;
    std::uint64_t twice = 0;
    std::uint64_t found_within = 0;
    std::string_view fault;
};

wishes read_wishes(int count, char** words)
{
    wishes result;
    for (int i = 1; i < count; i += 2) {
        const std::string_view name = words[i];
        if (i + 1 == count) throw std::runtime_error{std::string{name} + " needs a word behind it"};
        const std::string_view text = words[i + 1];
        if (name == "--fault") {
            result.fault = text;
            continue;
        }
        std::uint64_t number = 0;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (code != std::errc{} || end != text.data() + text.size() || number == 0)
            throw std::runtime_error{std::string{name} + ": expected a number of at least 1"};
        if (name == "--seeds") result.seeds = number;
        else if (name == "--first") result.first = number;
        else if (name == "--seed") result.one = number;
        else if (name == "--twice") result.twice = number;
        else if (name == "--found-within") result.found_within = number;
        else throw std::runtime_error{"unknown option " + std::string{name}};
    }
    return result;
}

void tell(std::uint64_t seed, const sim_outcome& outcome, const char* program)
{
    std::cout << "seed " << seed << ":\n";
    for (const std::string& each : outcome.violations) std::cout << "  " << each << '\n';
    std::cout << "  again, with its journal: " << program << " --seed " << seed << '\n' << std::flush;
}

int play_one(std::uint64_t seed, const char* program)
{
    const sim_outcome outcome = play_seed(seed, true);
    for (const std::string& line : outcome.journal) std::cout << line << '\n';
    std::cout << outcome.steps << " steps, " << outcome.connections << " connections, " << outcome.resets
              << " resets, " << outcome.kills << " kills, " << outcome.drains << " drains\n";
    if (!outcome.violations.empty()) tell(seed, outcome, program);
    return outcome.violations.empty() ? 0 : 1;
}

int play_twice(std::uint64_t seeds)
{
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const sim_outcome first = play_seed(seed, true);
        const sim_outcome second = play_seed(seed, true);
        if (first.hash == second.hash && first.journal == second.journal) continue;
        std::cout << "seed " << seed << " gives two journals; the first difference:\n";
        for (std::size_t i = 0; i < first.journal.size() && i < second.journal.size(); ++i) {
            if (first.journal[i] == second.journal[i]) continue;
            std::cout << "  " << first.journal[i] << "\n  " << second.journal[i] << '\n';
            break;
        }
        return 1;
    }
    if (seeds > 1 && play_seed(1).hash == play_seed(2).hash) {
        std::cout << "two seeds give one journal\n";
        return 1;
    }
    std::cout << seeds << " seeds give the same journal twice\n";
    return 0;
}

int play_all(const wishes& wanted, const char* program)
{
    const auto began = std::chrono::steady_clock::now();
    std::uint64_t failed = 0;
    std::uint64_t steps = 0;
    std::uint64_t connections = 0;
    std::uint64_t resets = 0;
    std::uint64_t kills = 0;
    std::uint64_t drains = 0;
    for (std::uint64_t seed = wanted.first; seed < wanted.first + wanted.seeds; ++seed) {
        const sim_outcome outcome = play_seed(seed);
        steps += outcome.steps;
        connections += outcome.connections;
        resets += outcome.resets;
        kills += outcome.kills;
        drains += outcome.drains;
        if (outcome.violations.empty()) continue;
        tell(seed, outcome, program);
        if (++failed == 10) break;  // enough to begin with
    }
    const auto span = std::chrono::steady_clock::now() - began;
    std::cout << wanted.seeds << " seeds: " << steps << " steps, " << connections << " connections, " << resets
              << " resets, " << kills << " kills, " << drains << " drains; "
              << std::chrono::duration_cast<std::chrono::milliseconds>(span).count() << " ms; " << failed
              << " seeds failed" << '\n' << std::flush;
    return failed == 0 ? 0 : 1;
}

int find_fault(std::uint64_t seeds)
{
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const sim_outcome outcome = play_seed(seed);
        if (outcome.violations.empty()) continue;
        std::cout << "found by seed " << seed << ": " << outcome.violations.front() << '\n' << std::flush;
        return 0;
    }
    std::cout << "the fault is not found in " << seeds << " seeds" << '\n' << std::flush;
    return 1;
}

}  // namespace

int main(int count, char** words)
{
    try {
        const wishes wanted = read_wishes(count, words);
        server_simulation::set_fault(wanted.fault);
        if (wanted.one > 0) return play_one(wanted.one, words[0]);
        if (wanted.twice > 0) return play_twice(wanted.twice);
        if (wanted.found_within > 0) return find_fault(wanted.found_within);
        return play_all(wanted, words[0]);
    } catch (const std::exception& e) {
        std::cerr << "server_simulation: " << e.what() << '\n';
        return 1;
    }
}
