// Six workers and three servers on one PostgreSQL, with clients of several tenants that follow streams, while there is
// trouble of every kind: processes killed, and stopped for longer than their lifetime; PostgreSQL crashed, its sessions
// ended, its disk full; workers whose network is in disorder or unplugged, and workers whose clocks are an hour off; a
// snapshot that is held all the time. Every run ends once, all clients get the same, no tenant waits behind the crowd
// of another one.
//
//     fleet_chaos                         some seconds of trouble
//     fleet_chaos --minutes 10 --seed 7
//     fleet_chaos --unfenced              workers without fences: succeeds when the checks find their damage
//
// Exit status: 0, nothing was lost or repeated; 1, something was; 77, PostgreSQL is not installed.

#include "fleet_course.hpp"
#include "worker_network.hpp"

#include "durable/process.hpp"
#include "serve/chaos/stream_course.hpp"
#include "store/postgres_server.hpp"

#include <exception>
#include <iostream>
#include <stdexcept>

namespace {

fleet_chaos::fleet_course fleet_course_of(int count, char** words)
{
    fleet_chaos::fleet_course course;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--unfenced") course.is_unfenced = true;
        else if (i + 1 == count) throw std::runtime_error{"unknown option, or without its value: " + word};
        else if (word == "--minutes") course.trouble = std::chrono::minutes{std::stol(words[++i])};
        else if (word == "--seed") course.seed = std::stoull(words[++i]);
        else throw std::runtime_error{"unknown option " + word};
    }
    course.patience += 2 * course.trouble;
    return course;
}

int judge_course(const fleet_chaos::fleet_course& course)
{
    constexpr std::size_t shown_max = 20;
    const std::vector<std::string> found =
        course.is_unfenced ? fleet_chaos::find_missing_fence(course) : fleet_chaos::make_trouble(course);
    for (std::size_t i = 0; i < found.size() && i < shown_max; ++i) std::cout << "  " << found[i] << '\n';
    std::cout << "  " << found.size() << " violations\n";
    return found.empty() == course.is_unfenced ? 1 : 0;
}

}  // namespace

int main(int count, char** words)
{
    try {
        if (count == 8 && std::string{words[1]} == "--process") {
            constexpr unsigned seconds_max = 3'600;
            weft_tests::die_with_parent(seconds_max);
            if (const std::string entrance = words[7]; !entrance.empty()) fleet_chaos::worker_network::enter(entrance);
            stream_chaos::process_orders orders{words[2], words[3], static_cast<std::uint16_t>(std::stoul(words[4]))};
            orders.ledger = words[5];
            orders.is_unfenced = std::string{words[6]} == "unfenced";
            return stream_chaos::serve(orders);
        }
        if (!weft_tests::postgres_server::programs()) {
            std::cout << "PostgreSQL is not installed: scripts/install-deps --services\n";
            return 77;
        }
        return judge_course(fleet_course_of(count, words));
    } catch (const std::exception& e) {
        std::cout << e.what() << '\n';
        return 1;
    }
}
