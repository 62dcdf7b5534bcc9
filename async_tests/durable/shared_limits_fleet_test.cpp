#ifdef WEFT_HAS_POSTGRES

#include "durable/fleet.hpp"
#include "model/fake_models.hpp"

#include <weft/model/decorator/limited_model.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace shared_limits_fleet_test {

namespace ut = boost::unit_test;

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(shared_limits_fleet_test, *ut::precondition(has_postgres))

constexpr double limit = 6'000;  // requests in a minute
constexpr int processes = 3;
constexpr int calls = 120;       // of each; alone it would make all of them at once

using clock = std::chrono::steady_clock;  // one for all processes of the machine

struct called {
    clock::time_point at;
    char by;
};

/** A model that counts: it writes who calls it, and when, into a pipe. */
class piped_model final : public weft::chat_model {
public:
    piped_model(int pipe, char name) : pipe_{pipe}, name_{name} {}
    [[nodiscard]] std::string_view label() const noexcept override { return "piped"; }

private:
    weft::task<weft::chat_reply> do_reply(weft::chat_request, weft::chat_sink&) override
    {
        const called now{clock::now(), name_};
        if (::write(pipe_, &now, sizeof now) != ssize_t{sizeof now}) ::_exit(71);
        weft::chat_reply reply;
        reply.message = weft::message::assistant("yes");
        reply.usage = fake_models::used(5, 5);
        co_return reply;
    }

    int pipe_;
    char name_;
};

weft::task<void> ask_once(std::shared_ptr<weft::chat_model> model)
{
    weft::chat_request request = fake_models::question();
    static_cast<void>(co_await model->reply(std::move(request)));
}

/** Calls the model so often, all at once. */
weft::task<void> call_often(weft::postgres_options where, int pipe, char name, int count)
{
    std::unique_ptr<weft::postgres_store> opened = co_await weft::postgres_store::open(std::move(where));
    const std::shared_ptr<weft::postgres_store> store = std::move(opened);
    weft::rate_limiter_options options;
    options.limits.requests_per_minute = limit;
    weft::rate_limiter limiter{options};
    limiter.share(std::shared_ptr<weft::shared_rates>{store, &store->service().rates()});
    const auto piped = std::make_shared<piped_model>(pipe, name);
    weft::limited_model_options of;
    of.provider = "piped";
    const auto model = std::make_shared<weft::limited_model>(piped, limiter, of);
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    for (int i = 0; i < count; ++i) children.spawn(ask_once(model));
    co_await children.join();
}

BOOST_AUTO_TEST_CASE(processes_on_one_database_keep_the_limit_of_a_model_together)
{
    fleet all{nullptr};
    std::array<int, 2> pipe{};
    BOOST_TEST_REQUIRE(::pipe2(pipe.data(), O_CLOEXEC) == 0);
    std::vector<pid_t> living;
    const auto start = [&](char name, int count) {
        return in_process([&, name, count] { weft::run_blocking(call_often(all.where, pipe[1], name, count)); });
    };
    for (int i = 0; i < processes; ++i) living.push_back(start(static_cast<char>('a' + i), calls));
    const pid_t doomed = start('x', 1'000);
    ::close(pipe[1]);

    std::vector<clock::time_point> begun;
    std::map<char, int> of;
    called next{};
    while (::read(pipe[0], &next, sizeof next) == ssize_t{sizeof next}) {
        begun.push_back(next.at);
        // It dies in the middle of its crowd, with a slice in its hands; the others get their turns all the same.
        if (++of[next.by] == 5 && next.by == 'x') ::kill(doomed, SIGKILL);
    }
    std::sort(begun.begin(), begun.end());
    ::close(pipe[0]);
    BOOST_TEST(end_of(doomed) == -SIGKILL);
    for (const pid_t each : living) BOOST_TEST(end_of(each) == 0);
    BOOST_TEST(all.ask("SELECT count(*) FROM " + all.schema + ".document, jsonb_object_keys(body->'holders')" +
                       " WHERE kind = 'model_rate'") == "4");
    for (int i = 0; i < processes; ++i) BOOST_TEST(of[static_cast<char>('a' + i)] == calls);
    // In any span: what goes at once, what flows in, and what was claimed up to a second before.
    const double burst = limit * weft::model_rate_limits{}.headroom;
    const double per_second = (limit - burst) / 61;
    for (std::size_t first = 0; first < begun.size(); ++first)
        for (std::size_t last = first; last < begun.size(); ++last) {
            const double span = std::chrono::duration<double>{begun[last] - begun[first]}.count();
            const double most = burst + per_second * (span + 1);
            BOOST_TEST_REQUIRE(static_cast<double>(last - first + 1) <= most + 1, "in " << span << " s");
        }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace shared_limits_fleet_test

#endif
