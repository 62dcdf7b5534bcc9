#pragma once

#include "store/postgres_server.hpp"

#include <weft/base/random.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace weft_chaos {

/** The worker processes of a chaos run: copies of this program with other words. A dead one is replaced. */
class worker_pool {
public:
    /** @param words  What the next worker is told; gets a number that no other one had. */
    worker_pool(int count, std::function<std::vector<std::string>(std::uint64_t)> words, std::uint64_t seed);
    ~worker_pool();
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;

    void fill();
    void signal(std::size_t which, int what) const;
    [[nodiscard]] std::size_t size() const noexcept { return processes_.size(); }

private:
    std::function<std::vector<std::string>(std::uint64_t)> words_;
    std::uint64_t seed_;
    std::vector<pid_t> processes_;
};

/** Kills and stops workers and their server as a seed decides: kill -9, SIGSTOP for longer than a lifetime, crashes of
 *  PostgreSQL, all connections ended. Each kind once, then by chance. */
class trouble_maker {
public:
    /** @param lifetime  Of the workers. */
    trouble_maker(weft_tests::postgres_server& server, worker_pool& workers, weft::random_source& random,
                  std::chrono::milliseconds lifetime)
        : server_{server}, workers_{workers}, random_{random}, lifetime_{lifetime}
    {
    }

    void make();
    /** Only kills a worker. */
    void kill_one();
    /** Only stops a worker, for so much longer than its lifetime: only who comes back can write what it should not. */
    void stop_one(std::chrono::milliseconds beyond);
    /** Whether each kind of trouble was made, also on a machine that has had no time for more. */
    [[nodiscard]] bool has_made_each() const noexcept { return made_ >= 4; }
    /** What was made so far, for people. */
    [[nodiscard]] std::string text() const;

private:
    [[nodiscard]] std::size_t some_worker() { return random_.below(workers_.size()); }

    weft_tests::postgres_server& server_;
    worker_pool& workers_;
    weft::random_source& random_;
    std::chrono::milliseconds lifetime_;
    std::size_t made_ = 0;
    int kills_ = 0;
    int stops_ = 0;
    int restarts_ = 0;
    int endings_ = 0;
};

/** Lets so much real time pass. */
void wait(std::chrono::milliseconds span);

}  // namespace weft_chaos
