// Clients follow runs token by token at two servers, while three workers execute them; all five processes are killed at
// random. Each client gets each event once and in order, whichever process tells it.
//
//     stream_chaos                            40 kills
//     stream_chaos --kills 1000 --seed 7
//     stream_chaos --outage 60                no kills: PostgreSQL is away for a minute, and no stream is cut
//
// Exit status: 0, nothing was lost or repeated; 1, something was; 77, PostgreSQL is not installed.

#include "stream_course.hpp"

#include "durable/process.hpp"
#include "store/postgres_server.hpp"

#include <exception>
#include <iostream>
#include <stdexcept>

namespace {

stream_chaos::stream_course course_of(int count, char** words)
{
    stream_chaos::stream_course course;
    for (int i = 1; i + 1 < count; i += 2) {
        const std::string word = words[i];
        if (word == "--kills") course.kills = std::stoul(words[i + 1]);
        else if (word == "--seed") course.seed = std::stoull(words[i + 1]);
        else if (word == "--outage") course.outage = std::chrono::seconds{std::stol(words[i + 1])};
        else throw std::runtime_error{"unknown option " + word};
    }
    course.patience += std::chrono::seconds{course.kills / 2} + course.outage;
    return course;
}

}  // namespace

int main(int count, char** words)
{
    try {
        if (count == 5 && std::string{words[1]} == "--process") {
            constexpr unsigned seconds_max = 1'800;
            weft_tests::die_with_parent(seconds_max);
            return stream_chaos::serve({words[2], words[3], static_cast<std::uint16_t>(std::stoul(words[4]))});
        }
        if (!weft_tests::postgres_server::programs()) {
            std::cout << "PostgreSQL is not installed: scripts/install-deps --services\n";
            return 77;
        }
        const std::vector<std::string> wrong = stream_chaos::make_trouble(course_of(count, words));
        for (std::size_t i = 0; i < wrong.size() && i < 20; ++i) std::cout << "  " << wrong[i] << '\n';
        return wrong.empty() ? 0 : 1;
    } catch (const std::exception& e) {
        std::cout << e.what() << '\n';
        return 1;
    }
}
