#include <boost/test/unit_test.hpp>

#include "model/fake_models.hpp"

#include <weft/async/join.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/model/decorator/limited_model.hpp>
#include <weft/model/decorator/retrying_model.hpp>
#include <weft/testing/async_test_case.hpp>

#include <deque>
#include <map>
#include <memory>
#include <thread>

BOOST_AUTO_TEST_SUITE(limited_model_test)

namespace {

using namespace fake_models;
using weft::errc;
using weft::limited_model;
using weft::rate_limiter;
using weft::rate_limiter_options;
using weft::task;
namespace this_task = weft::this_task;

rate_limiter_options limits(double requests, double tokens = 0, std::size_t in_flight = 0)
{
    rate_limiter_options options;
    options.limits.requests_per_minute = requests;
    options.limits.tokens_per_minute = tokens;
    options.limits.in_flight_max = in_flight;
    options.output_expected = weft::tokens{10};
    return options;
}

fake_call quick()
{
    fake_call call;
    call.usage = used(20, 10);
    return call;
}

weft::chat_request question_of(std::string tenant)
{
    weft::chat_request request = question();
    request.labels["tenant"] = std::move(tenant);
    return request;
}

task<void> ask_and_note(weft::chat_model& model, weft::chat_request request, std::vector<ended_call>& all)
{
    ended_call ended = co_await ask(model, std::move(request));
    all.push_back(std::move(ended));
}

}  // namespace

WEFT_ASYNC_TEST_CASE(calls_beyond_the_limit_wait_for_their_time)
{
    const weft::task_context& context = co_await this_task::context();
    const auto inner = fake_model::doing({quick()});
    limited_model model{inner, rate_limiter{limits(600)}};
    std::vector<ended_call> all;
    weft::scope children{context};
    for (int i = 0; i < 20; ++i) children.spawn(ask_and_note(model, question(), all));
    co_await children.join();
    const auto span = inner->asked_at.back() - inner->asked_at.front();
    BOOST_TEST((span >= 800ms));  // 12 at once, 8 more at 9.8 a second
    BOOST_TEST((span <= 900ms));
    BOOST_TEST((all.back().reply->waited == span));
}

WEFT_ASYNC_TEST_CASE(calls_in_flight_are_counted_down_however_they_end)
{
    const weft::task_context& context = co_await this_task::context();
    const auto inner = fake_model::doing({quick(), fails(status(500)), quick()});
    rate_limiter limiter{limits(0, 0, 1)};
    limited_model model{inner, limiter};
    std::vector<ended_call> all;
    weft::scope children{context};
    for (int i = 0; i < 4; ++i) children.spawn(ask_and_note(model, question(), all));
    BOOST_TEST(inner->running == 1U);
    BOOST_TEST(limiter.waiting({}) == 3U);
    co_await children.join();
    BOOST_TEST(inner->asked.size() == 4U);
    BOOST_TEST(limiter.in_flight({}) == 0U);
}

WEFT_ASYNC_TEST_CASE(a_full_line_refuses_with_a_clear_error)
{
    const weft::task_context& context = co_await this_task::context();
    const auto inner = fake_model::doing({quick()});
    rate_limiter_options options = limits(0, 0, 1);
    options.waiting_max = 2;
    const weft::limited_model_options named{.provider = "openai", .credential = "team", .model = "m"};
    limited_model model{inner, rate_limiter{options}, named};
    std::vector<ended_call> all;
    weft::scope children{context};
    for (int i = 0; i < 4; ++i) children.spawn(ask_and_note(model, question(), all));
    BOOST_REQUIRE(all.size() == 1U);
    BOOST_TEST(all[0].code == errc::limit_reached);
    BOOST_TEST(all[0].what.find("openai/team/m") != std::string::npos);
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(a_refusal_pauses_all_calls_of_its_key_and_of_no_other)
{
    const weft::task_context& context = co_await this_task::context();
    const auto inner = fake_model::doing({fails(status(429, 5s)), quick()});
    limited_model model{inner, rate_limiter{limits(6'000)}};
    const ended_call refused = co_await ask(model);
    BOOST_TEST(refused.code == errc::model_rate_limited);
    weft::chat_request other = question();
    other.model = "another";
    const ended_call elsewhere = co_await ask(model, other);
    BOOST_TEST((elsewhere.took < 1s));
    const weft::time_point before = context.loop->now();
    const ended_call later = co_await ask(model);
    BOOST_TEST((context.loop->now() - before >= 4'800ms));
}

WEFT_ASYNC_TEST_CASE(headers_of_replies_correct_the_limit)
{
    fake_call told = quick();
    told.rate_limits.requests.limit = 60;
    told.rate_limits.requests.remaining = 0;
    const auto inner = fake_model::doing({told, quick()});
    limited_model model{inner, rate_limiter{limits(6'000)}};
    const ended_call first = co_await ask(model);
    const ended_call second = co_await ask(model);
    BOOST_TEST((second.reply->waited > 1s));
}

WEFT_ASYNC_TEST_CASE(tenants_share_by_weight)
{
    const weft::task_context& context = co_await this_task::context();
    const auto inner = fake_model::doing({quick()});
    rate_limiter_options options = limits(600);
    options.tenant_weights = {{"paying", 3.0}};
    limited_model model{inner, rate_limiter{options}};
    std::vector<ended_call> all;
    weft::scope children{context};
    for (int i = 0; i < 60; ++i) children.spawn(ask_and_note(model, question_of("free"), all));
    for (int i = 0; i < 60; ++i) children.spawn(ask_and_note(model, question_of("paying"), all));
    while (inner->asked.size() < 52) co_await weft::sleep_for(10ms);
    std::map<std::string, int> got;
    for (std::size_t i = 12; i < 52; ++i) ++got[inner->asked[i].labels.at("tenant")];  // the first 12 found no line
    BOOST_TEST(got["paying"] >= 29);
    BOOST_TEST(got["paying"] <= 31);
    children.request_stop();
    co_await children.join();
}

BOOST_AUTO_TEST_CASE(a_stop_ends_the_wait_and_the_call)
{
    const auto calls = []() -> task<void> {
        const weft::task_context& context = co_await this_task::context();
        const auto inner = fake_model::doing({quick()});
        limited_model model{inner, rate_limiter{limits(60, 0, 1)}};
        std::vector<ended_call> all;
        weft::scope children{context};
        for (int i = 0; i < 3; ++i) children.spawn(ask_and_note(model, question(), all));
        co_await children.join();
        BOOST_TEST(all.size() == 3U);
    };
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(calls) >= 5U);
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(calls) >= 5U);
}

WEFT_ASYNC_TEST_CASE(who_is_stopped_in_the_line_leaves_the_others_their_turn)
{
    const weft::task_context& context = co_await this_task::context();
    const auto inner = fake_model::doing({quick()});
    rate_limiter limiter{limits(0, 0, 1)};
    limited_model model{inner, limiter};
    std::vector<ended_call> all;
    std::vector<ended_call> stopped;
    weft::scope children{context};
    weft::scope doomed{context};
    children.spawn(ask_and_note(model, question(), all));
    doomed.spawn(ask_and_note(model, question(), stopped));
    doomed.spawn(ask_and_note(model, question(), stopped));
    children.spawn(ask_and_note(model, question(), all));
    doomed.request_stop();
    co_await doomed.join();
    co_await children.join();
    BOOST_TEST(all.size() == 2U);
    BOOST_TEST(stopped.size() == 2U);
    BOOST_TEST(inner->asked.size() == 2U);
    BOOST_TEST(limiter.waiting({}) == 0U);
}

namespace {

/** An endpoint with limits of a minute: refuses what is beyond them, by the tokens that a call really uses. */
class strict_endpoint {
public:
    strict_endpoint(bool slides, double requests, double tokens)
        : slides_{slides}, requests_{requests}, tokens_{tokens} {}

    fake_call operator()(std::size_t, const weft::chat_request& request, weft::time_point now, std::uint64_t chance)
    {
        const auto input = static_cast<std::int64_t>(request.messages.back().text().size() / 3 + 20);
        const auto output = static_cast<std::int64_t>(5 + chance % 46);
        forget(now);
        if (used_requests_ + 1 > requests_ || used_tokens_ + static_cast<double>(input + output) > tokens_) {
            ++refused;
            return fails(status(429, 1s));
        }
        ++accepted;
        accepted_tokens += static_cast<double>(input + output);
        note(now, static_cast<double>(input + output));
        ++accepted_of[request.labels.at("tenant")];
        if (accepted == 2'000) at_half_time = accepted_of;
        fake_call call;
        call.first_token = 200ms + std::chrono::milliseconds{chance % 800};
        call.pieces = {"answer"};
        call.usage = used(input, output);
        return call;
    }

    double accepted = 0;
    double refused = 0;
    double accepted_tokens = 0;
    std::map<std::string, int> accepted_of;
    std::map<std::string, int> at_half_time;

private:
    void note(weft::time_point now, double tokens)
    {
        used_requests_ += 1;
        used_tokens_ += tokens;
        if (slides_) window_.push_back({now, tokens});
    }
    void forget(weft::time_point now)
    {
        while (!window_.empty() && now - window_.front().first >= 60s) {
            used_requests_ -= 1;
            used_tokens_ -= window_.front().second;
            window_.pop_front();
        }
        if (!slides_) {
            const double minutes = std::chrono::duration<double>(now - at_).count() / 60;
            used_requests_ = std::max(0.0, used_requests_ - requests_ * minutes);
            used_tokens_ = std::max(0.0, used_tokens_ - tokens_ * minutes);
        }
        at_ = now;
    }

    bool slides_;
    double requests_;
    double tokens_;
    double used_requests_ = 0;
    double used_tokens_ = 0;
    weft::time_point at_{};
    std::deque<std::pair<weft::time_point, double>> window_;
};

/** One run: twenty branches that ask at once. */
task<void> run_of_twenty(weft::chat_model& model, std::string tenant, int& answered)
{
    const weft::task_context& context = co_await this_task::context();
    std::vector<ended_call> all;
    weft::scope branches{context};
    for (int branch = 0; branch < 20; ++branch) {
        weft::chat_request request = question_of(tenant);
        request.user(std::string(context.loop->random().below(600), 'x'));
        branches.spawn(ask_and_note(model, std::move(request), all));
    }
    co_await branches.join();
    for (const ended_call& ended : all) answered += ended.reply ? 1 : 0;
}

void two_hundred_runs(bool slides, double requests, double tokens)
{
    weft::testing::simulation sim{7};
    strict_endpoint endpoint{slides, requests, tokens};
    const auto inner = std::make_shared<fake_model>([&](std::size_t number, const weft::chat_request& request) {
        return endpoint(number, request, sim.loop().now(), sim.loop().random().below(1'000'000));
    });
    const auto limited = std::make_shared<limited_model>(inner, rate_limiter{limits(requests, tokens)});
    weft::retrying_model model{limited};
    int answered = 0;
    const auto all = [&]() -> task<void> {
        const weft::task_context& context = co_await this_task::context();
        weft::scope runs{context};
        for (int run = 0; run < 200; ++run)
            runs.spawn(run_of_twenty(model, "tenant " + std::to_string(run % 5), answered));
        co_await runs.join();
    };
    sim.run(all());
    const double minutes = std::chrono::duration<double>(sim.elapsed()).count() / 60;
    const double use = std::max(endpoint.accepted / requests, endpoint.accepted_tokens / tokens) / minutes;
    const double refusals = endpoint.refused / (endpoint.refused + endpoint.accepted);
    BOOST_TEST_MESSAGE((slides ? "window" : "bucket") << ": use " << use << ", refused " << refusals << ", minutes "
                                                      << minutes);
    BOOST_TEST(answered == 4'000);
    BOOST_TEST(refusals <= 0.01);
    BOOST_TEST(use >= 0.95);
    for (const auto& [tenant, got] : endpoint.at_half_time)
        BOOST_TEST(got >= 0.8 * 2'000 / 5, tenant << " got " << got << " of 2000 while all waited");
}

}  // namespace

BOOST_AUTO_TEST_CASE(two_hundred_runs_of_twenty_use_a_limit_of_requests_without_refusals)
{
    two_hundred_runs(false, 600, 1e9);
    two_hundred_runs(true, 600, 1e9);
}

BOOST_AUTO_TEST_CASE(two_hundred_runs_of_twenty_use_a_limit_of_tokens_without_refusals)
{
    two_hundred_runs(false, 1e9, 100'000);
    two_hundred_runs(true, 1e9, 100'000);
}

BOOST_AUTO_TEST_CASE(runs_on_several_os_threads_share_one_limiter)
{
    constexpr int threads_count = 4;
    constexpr int calls = 200;
    rate_limiter limiter{limits(600'000, 0, 3)};
    std::atomic<int> answered{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < threads_count; ++t)
        threads.emplace_back([&limiter, &answered] {
            fake_call call = quick();
            call.first_token = 0ms;
            call.gap = 0ms;
            limited_model model{fake_model::doing({call}), limiter};
            const auto all = [&]() -> task<void> {
                const weft::task_context& context = co_await this_task::context();
                std::vector<ended_call> ended;
                weft::scope children{context};
                for (int i = 0; i < calls; ++i) children.spawn(ask_and_note(model, question(), ended));
                co_await children.join();
                for (const ended_call& one : ended) answered += one.reply ? 1 : 0;
            };
            weft::run_blocking(all());
        });
    for (auto& thread : threads) thread.join();
    BOOST_TEST(answered == threads_count * calls);
    BOOST_TEST(limiter.in_flight({}) == 0U);
    BOOST_TEST(limiter.waiting({}) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
