#include "harness/bench.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/budget_ledger.hpp>
#include <weft/base/error.hpp>
#include <weft/model/decorator/budgeted_model.hpp>
#include <weft/model/decorator/limited_model.hpp>
#include <weft/model/decorator/retrying_model.hpp>
#include <weft/model/model_error.hpp>
#include <weft/testing/simulation.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft_bench {

namespace {

using namespace std::chrono_literals;
using ledger_ptr = std::shared_ptr<weft::budget_ledger>;

constexpr int limited_runs = 200;
constexpr int branches = 20;
constexpr std::size_t requests_per_minute = 600;
constexpr std::int64_t tokens_per_run = 2'000;  // for about three quarters of the branches
constexpr std::size_t words_max = 80;
constexpr int limiter_rounds = 3;

/** What an endpoint saw and what the budgets of its callers say. */
struct limiter_result {
    std::int64_t calls = 0;
    std::int64_t refused = 0;  // with 429
    weft::time_point first{};
    weft::time_point last{};  // of the calls that were not refused
    std::int64_t overspent = 0;  // tokens

    [[nodiscard]] double refused_percent() const
    {
        return 100.0 * static_cast<double>(refused) / static_cast<double>(calls);
    }
    [[nodiscard]] double used_percent() const
    {
        const double minutes = std::chrono::duration<double, std::ratio<60>>{last - first}.count();
        return 100.0 * static_cast<double>(calls - refused) / (minutes * requests_per_minute);
    }
};

/** Answers so many requests in any minute, after a second or so, and refuses the others. It tells nobody its limit. */
class limiting_endpoint final : public weft::chat_model {
public:
    [[nodiscard]] std::string_view label() const noexcept override { return "limiting endpoint"; }
    [[nodiscard]] const limiter_result& seen() const noexcept { return seen_; }

private:
    weft::task<weft::chat_reply> do_reply(weft::chat_request request, weft::chat_sink& sink) override;
    void admit(weft::time_point now);

    limiter_result seen_;
    std::deque<weft::time_point> last_minute_;
};

void limiting_endpoint::admit(weft::time_point now)
{
    while (!last_minute_.empty() && now - last_minute_.front() >= 1min) last_minute_.pop_front();
    if (++seen_.calls == 1) seen_.first = now;
    if (last_minute_.size() < requests_per_minute) {
        last_minute_.push_back(now);
        seen_.last = now;
        return;
    }
    ++seen_.refused;
    weft::model_failure failure;
    failure.code = weft::errc::model_rate_limited;
    failure.phase = weft::model_phase::response;
    failure.status = 429;
    failure.retry_after = 1s;
    failure.is_transient = true;
    throw weft::model_error{"limiting endpoint", std::move(failure)};
}

weft::task<weft::chat_reply> limiting_endpoint::do_reply(weft::chat_request request, weft::chat_sink& sink)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    admit(loop.now());
    co_await weft::sleep_for(500ms);
    const std::size_t words = 20 + static_cast<std::size_t>(loop.random().below(words_max - 20));
    std::string whole;
    for (std::size_t i = 0; i < words; ++i) {
        co_await weft::sleep_for(10ms);
        sink.on_text("word");
        whole += "word";
    }
    weft::chat_reply reply;
    reply.message = weft::message::assistant(std::move(whole));
    reply.stop = weft::stop_reason::stop;
    reply.usage.input = weft::tokens{static_cast<std::int64_t>(request.messages[0].text().size() / 4)};
    reply.usage.output = weft::tokens{static_cast<std::int64_t>(words)};
    co_return reply;
}

weft::task<void> ask_once(weft::chat_model* model, ledger_ptr ledger)
{
    weft::chat_request request;
    request.user(std::string(200, 'q'));
    request.output_max = weft::tokens{static_cast<std::int64_t>(words_max)};
    request.budget = std::move(ledger);
    try {
        const weft::chat_reply reply = co_await model->reply(std::move(request));
    } catch (const weft::error& e) {
        require(e.code() == weft::errc::budget_exhausted, e.what());
    }
}

weft::task<void> run_all(weft::chat_model* model, std::vector<ledger_ptr>* ledgers)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    for (const ledger_ptr& ledger : *ledgers)
        for (int i = 0; i < branches; ++i) children.spawn(ask_once(model, ledger));
    co_await children.join();
}

weft::retrying_model_options patient_retries()
{
    weft::retrying_model_options options;
    options.policy.attempts_max = 10'000;
    options.budget = std::make_shared<weft::extra_call_budget>(weft::extra_call_share{.share = 1, .reserve = 1e9});
    return options;
}

/** All runs at once on virtual time, with a limiter or without one. */
limiter_result simulate_runs(std::uint64_t seed, bool is_limited)
{
    weft::testing::simulation world{seed};
    const auto endpoint = std::make_shared<limiting_endpoint>();
    std::shared_ptr<weft::chat_model> model = endpoint;
    if (is_limited) {
        weft::rate_limiter_options options;
        options.limits.requests_per_minute = requests_per_minute;
        model = std::make_shared<weft::limited_model>(model, weft::rate_limiter{options});
    }
    model = std::make_shared<weft::retrying_model>(model, patient_retries());
    model = std::make_shared<weft::budgeted_model>(model);
    std::vector<ledger_ptr> ledgers;
    weft::budget limits;
    limits.tokens = weft::tokens{tokens_per_run};
    for (int i = 0; i < limited_runs; ++i)
        ledgers.push_back(std::make_shared<weft::budget_ledger>("run " + std::to_string(i), limits));
    world.run(run_all(model.get(), &ledgers));
    limiter_result result = endpoint->seen();
    for (const ledger_ptr& ledger : ledgers)
        result.overspent += std::max<std::int64_t>(0, ledger->spent().tokens.count() - tokens_per_run);
    require(result.calls - result.refused > limited_runs * branches / 2, "the budgets let too few calls pass");
    return result;
}

benchmark of_limiter(std::string name, std::string unit, std::string what, std::string goal,
                     double (*figure)(const limiter_result&))
{
    return {std::move(name), std::move(unit), std::move(what), std::move(goal), [figure] {
                std::uint64_t seed_of_weft = 0;
                std::uint64_t seed_of_floor = 0;
                return take_cold_turns(
                    limiter_rounds, [&] { return figure(simulate_runs(++seed_of_weft, true)); },
                    [&] { return figure(simulate_runs(++seed_of_floor, false)); });
            }};
}

}  // namespace

benchmarks limiter_benchmarks()
{
    const std::string load = "200 runs of 20 branches, an endpoint that takes 600 requests a minute, virtual time: ";
    const std::string floor = "; floor: retries alone";
    return {of_limiter("limited_429", "% of calls", load + "calls refused with 429" + floor, "<= 1",
                       [](const limiter_result& r) { return r.refused_percent(); }),
            of_limiter("limited_use", "% of the limit", load + "how far the limit is used" + floor, ">= 95",
                       [](const limiter_result& r) { return r.used_percent(); }),
            of_limiter("limited_overspend", "tokens", load + "spent beyond the runs' budgets" + floor, "0",
                       [](const limiter_result& r) { return static_cast<double>(r.overspent); })};
}

}  // namespace weft_bench
