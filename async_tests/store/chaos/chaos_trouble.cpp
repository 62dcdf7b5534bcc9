#include "chaos_trouble.hpp"

#include "durable/process.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/sleep.hpp>

#include <sys/wait.h>

#include <csignal>
#include <utility>

namespace weft_chaos {

namespace {

weft::task<void> nap(std::chrono::milliseconds span) { co_await weft::sleep_for(span); }

}  // namespace

void wait(std::chrono::milliseconds span) { weft::run_blocking(nap(span)); }

worker_pool::worker_pool(int count, std::function<std::vector<std::string>(std::uint64_t)> words, std::uint64_t seed)
    : words_{std::move(words)}, seed_{seed}, processes_(static_cast<std::size_t>(count), -1)
{
}

worker_pool::~worker_pool()
{
    for (const pid_t process : processes_)
        if (process > 0) {
            ::kill(process, SIGKILL);
            ::waitpid(process, nullptr, 0);
        }
}

void worker_pool::fill()
{
    for (pid_t& process : processes_) {
        if (process > 0 && ::waitpid(process, nullptr, WNOHANG) == process) process = -1;
        if (process < 0) process = weft_tests::start_self(words_(++seed_));
    }
}

void worker_pool::signal(std::size_t which, int what) const { ::kill(processes_[which], what); }

void trouble_maker::make()
{
    constexpr std::uint64_t first[] = {0, 8, 4, 9};
    constexpr int restarts_max = 3;
    const std::uint64_t dice = made_ < 4 ? first[made_] : random_.below(10);
    ++made_;
    if (dice < 4) {
        kill_one();
    } else if (dice < 8) {
        stop_one(std::chrono::milliseconds{300 + random_.below(1'000)});
    } else if (dice < 9 && restarts_ < restarts_max) {
        server_.restart_immediately();
        ++restarts_;
    } else {
        static_cast<void>(server_.end_connections());
        ++endings_;
    }
}

void trouble_maker::kill_one()
{
    workers_.signal(some_worker(), SIGKILL);
    ++kills_;
}

void trouble_maker::stop_one(std::chrono::milliseconds beyond)
{
    const std::size_t which = some_worker();
    workers_.signal(which, SIGSTOP);
    wait(lifetime_ + beyond);
    workers_.signal(which, SIGCONT);
    ++stops_;
}

std::string trouble_maker::text() const
{
    return std::to_string(kills_) + " kill -9, " + std::to_string(stops_) + " SIGSTOP, " + std::to_string(restarts_) +
           " crashes of PostgreSQL, " + std::to_string(endings_) + " times all connections ended";
}

}  // namespace weft_chaos
