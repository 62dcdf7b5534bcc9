// Four worker processes that run `durable_engine::work` on one PostgreSQL store, while they are killed and stopped for
// longer than their lifetime, and PostgreSQL crashes and ends their connections.
//
//     engine_chaos                       some seconds with one seed
//     engine_chaos --seeds 11,21,22 --long
//
// Exit status: 0, every run has finished once and nothing is lost; 1, something is; 77, PostgreSQL is not installed.

#include "chaos_course.hpp"
#include "durable/process.hpp"
#include "store/postgres_server.hpp"

#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

engine_chaos::chaos_course course_of(int count, char** words)
{
    engine_chaos::chaos_course course;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--long") {
            course.threads = 16;
            course.runs = 12;
            course.trouble = std::chrono::seconds{60};
            course.patience = std::chrono::seconds{300};
        } else if (word == "--seeds" && i + 1 < count) {
            course.seeds.clear();
            std::istringstream list{words[++i]};
            for (std::string seed; std::getline(list, seed, ',');) course.seeds.push_back(std::stoull(seed));
        } else {
            throw std::runtime_error{"unknown option " + word};
        }
    }
    return course;
}

int run_chaos(const engine_chaos::chaos_course& course)
{
    constexpr std::size_t shown_max = 20;
    for (const std::uint64_t seed : course.seeds) {
        const std::vector<std::string> wrong = engine_chaos::make_chaos(course, seed);
        for (std::size_t i = 0; i < wrong.size() && i < shown_max; ++i) std::cout << "  " << wrong[i] << '\n';
        std::cout << "  " << wrong.size() << " violations\n";
        if (!wrong.empty()) return 1;
    }
    return 0;
}

}  // namespace

int main(int count, char** words)
{
    try {
        if (count == 5 && std::string{words[1]} == "--worker") {
            constexpr unsigned seconds_max = 600;
            weft_tests::die_with_parent(seconds_max);
            return engine_chaos::work({words[2], words[3], words[4]});
        }
        if (!weft_tests::postgres_server::programs()) {
            std::cout << "PostgreSQL is not installed: scripts/install-deps --services\n";
            return 77;
        }
        return run_chaos(course_of(count, words));
    } catch (const std::exception& e) {
        std::cout << e.what() << '\n';
        return 1;
    }
}
