#include "stream_course.hpp"

#include "stream_client.hpp"

#include "durable/process.hpp"
#include "store/postgres_server.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/base/random.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/net/http_client.hpp>
#include <weft/store/postgres_store.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <set>

namespace stream_chaos {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t workers = 3;
constexpr std::size_t servers = 2;
constexpr const char* schema = "streams";

std::uint16_t free_port()
{
    boost::asio::io_context io;
    boost::asio::ip::tcp::acceptor at{io, {boost::asio::ip::address_v4::loopback(), 0}};
    return at.local_endpoint().port();
}

/** The processes, which are killed and begin anew, and the clients, which see no more of it than a lost connection. */
class course_of_trouble {
public:
    course_of_trouble(const stream_course& course, weft_tests::postgres_server& on, weft::postgres_store& store)
        : course_{course}, server_{on}, store_{store}, random_{course.seed}, ids_{weft::real_clock(), random_}
    {
        for (std::size_t i = 0; i < workers + servers; ++i) {
            ports_.push_back(i < workers ? 0 : free_port());
            processes_.push_back(begin(ports_.back()));
        }
    }
    ~course_of_trouble()
    {
        for (const pid_t each : processes_) {
            ::kill(each, SIGKILL);
            static_cast<void>(weft_tests::end_of(each));
        }
    }

    weft::task<void> run()
    {
        const weft::task_context& context = co_await weft::this_task::context();
        weft::scope parts{context};
        for (std::size_t i = 0; i < course_.followers; ++i) parts.spawn(follow_runs(i));
        if (course_.outage > 0s) parts.spawn(take_database_away());
        else parts.spawn(kill());
        co_await parts.join();
    }

    [[nodiscard]] const std::vector<std::string>& wrong() const noexcept { return wrong_; }
    [[nodiscard]] std::size_t kills() const noexcept { return kills_; }
    [[nodiscard]] std::size_t runs() const noexcept { return runs_; }
    [[nodiscard]] std::size_t joins() const noexcept { return joins_; }
    /** Steps whose end was told before a process died with their checkpoint. */
    [[nodiscard]] std::size_t repeated() const noexcept { return repeated_; }

private:
    pid_t begin(std::uint16_t port)
    {
        return weft_tests::start_self({"--process", server_.connection(), schema, std::to_string(port)});
    }

    weft::task<void> kill()
    {
        co_await weft::sleep_for(1s);
        for (; kills_ < course_.kills; ++kills_) {
            co_await weft::sleep_for(std::chrono::milliseconds{50 + random_.below(250)});
            const std::size_t which = random_.below(processes_.size());
            ::kill(processes_[which], SIGKILL);
            static_cast<void>(weft_tests::end_of(processes_[which]));
            processes_[which] = begin(ports_[which]);
        }
    }

    /** Each worker and server has entered the store, and clients have been served by them: on a busy machine that takes
     *  its time, and a process that begins without its database does not begin. */
    weft::task<void> wait_until_all_are_there()
    {
        const std::string living = std::string{"SELECT count(*) FROM "} + schema + ".worker WHERE until > now()";
        while (runs_ < course_.followers || std::stoul(server_.query(living)) < processes_.size())
            co_await weft::sleep_for(100ms);
    }

    /** PostgreSQL crashes while clients read, and comes back after a while. */
    weft::task<void> take_database_away()
    {
        co_await wait_until_all_are_there();
        const long memory_before = memory_of_servers();
        server_.stop_immediately();
        co_await weft::sleep_for(1s);  // until the servers know
        const auto begin = weft::real_clock().now();
        while (weft::real_clock().now() < begin + course_.outage) {
            co_await ask_in_vain();
            co_await weft::sleep_for(200ms);
        }
        const long memory_after = memory_of_servers();
        server_.start();
        is_over_ = true;
        std::cout << "away for " << course_.outage.count() << " s; refusals took at most " << slowest_refusal_.count()
                  << " ms; servers had " << memory_before << " kB and then " << memory_after << " kB\n";
        if (memory_after > memory_before + memory_before / 2) wrong_.push_back("the servers have grown");
    }

    weft::task<void> ask_in_vain()
    {
        try {
            co_await ask_for_thread();
        } catch (const weft::error& e) {
            if (e.code() == weft::errc::cancelled) throw;
            wrong_.push_back(std::string{"without its database a server gave no answer: "} + e.what());
        }
    }

    weft::task<void> ask_for_thread()
    {
        weft::http_client client;
        weft::http_request request{"POST",
                                   weft::url{"http://127.0.0.1:" + std::to_string(ports_[workers]) + "/threads"}};
        request.body("{}", "application/json");
        const auto begin = weft::real_clock().now();
        weft::http_response response = co_await client.send(std::move(request));
        const auto took =
            std::chrono::duration_cast<std::chrono::milliseconds>(weft::real_clock().now() - begin);
        slowest_refusal_ = std::max(slowest_refusal_, took);
        const bool is_refused = response.status() == 503 && response.head().headers.contains("retry-after");
        if (!is_refused) wrong_.push_back("without its database a server answered " +
                                         std::to_string(response.status()));
    }

    [[nodiscard]] long memory_of_servers() const
    {
        long total = 0;
        for (std::size_t i = workers; i < processes_.size(); ++i) {
            std::ifstream file{"/proc/" + std::to_string(processes_[i]) + "/status"};
            for (std::string line; std::getline(file, line);)
                if (line.starts_with("VmRSS:")) total += std::stol(line.substr(6));
        }
        return total;
    }

    weft::task<void> enter(weft::new_run run)
    {
        const weft::new_run entry = std::move(run);
        for (bool is_entered = false; !is_entered;) {
            try {
                static_cast<void>(co_await store_.enqueue(entry));
                is_entered = true;
            } catch (const weft::error& e) {
                if (e.code() == weft::errc::cancelled) throw;
            }
            if (!is_entered) co_await weft::sleep_for(100ms);
        }
    }

    [[nodiscard]] bool goes_on() const { return course_.outage > 0s ? !is_over_ : kills_ < course_.kills; }

    weft::task<void> follow_runs(std::size_t client)
    {
        for (int i = 0; goes_on(); ++i) {
            const std::string thread = "t" + std::to_string(client) + "-" + std::to_string(i);
            weft::new_run run{weft::thread_key{thread}, ids_.next<weft::run_id>()};
            run.graph_named("speaking").with_attempts_max(1'000'000);
            const weft::run_id id = run.id;
            co_await enter(std::move(run));
            followed seen;
            while (!seen.is_whole) co_await join(thread, id, seen);
            followed late;
            while (!late.is_whole) co_await join(thread, id, late);
            const std::set<std::uint64_t> stored = co_await ids_in_store(id);
            stream_verdict verdict = judge(thread, seen, late, stored);
            std::move(verdict.wrong.begin(), verdict.wrong.end(), std::back_inserter(wrong_));
            repeated_ += verdict.repeated;
            ++runs_;
        }
    }

    /** Follows a run at one of the servers, until its end or that of the server. */
    weft::task<void> join(std::string thread, weft::run_id run, followed& into)
    {
        ++joins_;
        const std::uint64_t seen = into.last;
        const std::uint16_t port = ports_[workers + random_.below(servers)];
        weft::http_request request = stream_request(port, thread, run, into);
        bool is_lost = false;
        try {
            co_await read_stream(std::move(request), into);
        } catch (const weft::error& e) {
            if (e.code() == weft::errc::cancelled) throw;
            is_lost = true;
        }
        if (!is_lost) co_return;
        // One that could not begin is tried again, and none that has begun is cut.
        if (course_.outage > 0s && into.last > seen) wrong_.push_back(thread + ": its stream was cut");
        co_await weft::sleep_for(30ms);
    }

    /** Asked again while the store is away. */
    weft::task<std::set<std::uint64_t>> ids_in_store(weft::run_id run)
    {
        for (;;) {
            try {
                co_return co_await stored_ids(store_, run);
            } catch (const weft::error& e) {
                if (e.code() == weft::errc::cancelled) throw;
            }
            co_await weft::sleep_for(100ms);
        }
    }

    stream_course course_;
    weft_tests::postgres_server& server_;
    weft::postgres_store& store_;
    weft::random_source random_;
    weft::id_source ids_;
    std::vector<std::uint16_t> ports_;
    std::vector<pid_t> processes_;
    std::vector<std::string> wrong_;
    std::size_t kills_ = 0;
    std::size_t runs_ = 0;
    std::size_t joins_ = 0;
    std::size_t repeated_ = 0;
    std::chrono::milliseconds slowest_refusal_{0};
    bool is_over_ = false;  // the database is back
};

}  // namespace

std::vector<std::string> make_trouble(const stream_course& course)
{
    weft_tests::postgres_server server{};
    weft::postgres_options options{server.connection()};
    options.schema = schema;
    const auto store = weft::run_blocking(weft::postgres_store::open(std::move(options)));
    course_of_trouble trouble{course, server, *store};
    std::string ended_by;
    try {
        weft::run_blocking(weft::with_deadline(trouble.run(), course.patience));
    } catch (const weft::error& e) {
        ended_by = e.what();
    }
    std::cout << trouble.kills() << " kills, " << trouble.runs() << " runs, " << trouble.joins() << " joins, "
              << trouble.repeated() << " steps told again\n";
    std::vector<std::string> wrong = trouble.wrong();
    if (!ended_by.empty()) wrong.push_back("it came to no end in time: " + ended_by);
    if (trouble.runs() == 0) wrong.push_back("no run came to its end");
    return wrong;
}

}  // namespace stream_chaos
