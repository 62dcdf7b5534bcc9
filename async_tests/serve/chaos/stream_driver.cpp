#include "stream_course.hpp"

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
#include <weft/net/sse_parser.hpp>
#include <weft/store/postgres_store.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

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

/** What a client has got of a run. */
struct followed {
    std::map<std::uint64_t, std::string> events;
    std::uint64_t last = 0;
    bool is_in_order = true;
    bool is_whole = false;
};

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

    /** PostgreSQL crashes while clients read, and comes back after a while. */
    weft::task<void> take_database_away()
    {
        co_await weft::sleep_for(2s);
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
            check(thread, seen, late);
            ++runs_;
        }
    }

    /** Follows a run at one of the servers, until its end or that of the server. */
    weft::task<void> join(std::string thread, weft::run_id run, followed& into)
    {
        ++joins_;
        const std::uint64_t seen = into.last;
        const std::uint16_t port = ports_[workers + random_.below(servers)];
        weft::http_request request{"GET", weft::url{"http://127.0.0.1:" + std::to_string(port) + "/threads/" + thread +
                                                    "/runs/" + run.text() +
                                                    "/stream?stream_mode=updates&stream_mode=messages-tuple"}};
        if (into.last > 0) request.header("Last-Event-ID", std::to_string(into.last));
        bool is_lost = false;
        try {
            co_await read(std::move(request), into);
        } catch (const weft::error& e) {
            if (e.code() == weft::errc::cancelled) throw;
            is_lost = true;
        }
        if (!is_lost) co_return;
        // One that could not begin is tried again, and none that has begun is cut.
        if (course_.outage > 0s && into.last > seen) wrong_.push_back(thread + ": its stream was cut");
        co_await weft::sleep_for(30ms);
    }

    static weft::task<void> read(weft::http_request request, followed& into)
    {
        weft::http_client client;
        weft::http_response response = co_await client.send(std::move(request));
        if (response.status() != 200) throw weft::error{weft::errc::connect_failed, "stream", "refused"};
        weft::sse_parser parser;
        for (;;) {
            const std::string_view bytes = co_await response.read_some();
            if (bytes.empty()) break;
            parser.feed(bytes);
            while (const weft::sse_event* const event = parser.next()) take(*event, into);
        }
        into.is_whole = true;
    }

    static void take(const weft::sse_event& event, followed& into)
    {
        if (event.type == "metadata") return;  // the run begins again
        const std::uint64_t id = std::stoull(std::string{event.id});
        into.is_in_order &= id > into.last;
        into.last = id;
        into.events[id] = std::string{event.type} + ' ' + std::string{event.data};
    }

    void check(const std::string& thread, const followed& seen, const followed& late)
    {
        const auto note = [&](const std::string& what) { wrong_.push_back(thread + ": " + what); };
        if (!seen.is_in_order || !late.is_in_order) note("events out of order, or twice");
        for (const auto& [id, data] : late.events) {
            const auto found = seen.events.find(id);
            if (found == seen.events.end()) note("event " + std::to_string(id) + " was missed: " + data);
            else if (found->second != data) note("event " + std::to_string(id) + " is not the same everywhere");
        }
        // A step is told again by the next attempt only, and only the one that had no checkpoint yet.
        int told = 0;
        std::uint64_t told_by = 0;
        for (const auto& [id, data] : seen.events) {
            if (!data.starts_with("updates ")) continue;
            const std::uint64_t attempt = id / 16 >> 32;
            const int step = std::stoi(data.substr(data.find("\"s") + 2));
            const bool is_next = step == told + 1;
            const bool is_again = step == told && attempt > told_by;
            if (!is_next && !is_again) note("step " + std::to_string(step) + " came behind " + std::to_string(told));
            repeated_ += is_again ? 1 : 0;
            told = step;
            told_by = attempt;
        }
        if (told != steps_of_a_run) note(std::to_string(told) + " steps were told");
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
