// Sample 10, model decorators: a model that remembers, falls back, retries, keeps to limits and to a
// budget, made of parts that know nothing of each other.

#include <weft/async/run_blocking.hpp>
#include <weft/base/budget_ledger.hpp>
#include <weft/base/json.hpp>
#include <weft/model/decorator/budgeted_model.hpp>
#include <weft/model/decorator/cached_model.hpp>
#include <weft/model/decorator/fallback_model.hpp>
#include <weft/model/decorator/hedged_model.hpp>
#include <weft/model/decorator/limited_model.hpp>
#include <weft/model/decorator/priced_model.hpp>
#include <weft/model/decorator/retrying_model.hpp>
#include <weft/model/openai_model.hpp>
#include <weft/testing/scripted_endpoint.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

using namespace std::chrono_literals;

// [shared]
// What all models of a program share: limits are those of an account.
struct shared_parts {
    weft::rate_limiter limiter{{.limits = {.requests_per_minute = 500, .tokens_per_minute = 200'000}}};
    weft::reply_cache cache{{.keep_for = 10min}};
    std::shared_ptr<const weft::price_table> prices;
};
// [/shared]

// [entry]
// One endpoint, from the inside out.
std::shared_ptr<weft::chat_model> guarded(std::shared_ptr<weft::chat_model> endpoint, const std::string& model,
                                          const shared_parts& parts)
{
    weft::priced_model_options pricing;
    pricing.model = model;
    pricing.prices = parts.prices;
    auto priced = std::make_shared<weft::priced_model>(std::move(endpoint), pricing);
    auto budgeted = std::make_shared<weft::budgeted_model>(std::move(priced));

    auto hedged = std::make_shared<weft::hedged_model>(std::move(budgeted));

    weft::limited_model_options counting{.provider = "sample", .credential = "team", .model = model};
    auto limited = std::make_shared<weft::limited_model>(std::move(hedged), parts.limiter, counting);

    weft::retrying_model_options retries;
    retries.policy.overload_base = 10ms;  // a sample has no time to wait
    retries.on_attempt = [](const weft::model_attempt& seen) {
        if (seen.failure) std::cout << "attempt " << seen.number << ": " << seen.failure->detail << '\n';
    };
    return std::make_shared<weft::retrying_model>(std::move(limited), retries);
}
// [/entry]

// [stack]
std::shared_ptr<weft::chat_model> stacked(std::shared_ptr<weft::chat_model> capable,
                                          std::shared_ptr<weft::chat_model> balanced, const shared_parts& parts)
{
    weft::fallback_entry first{.model = guarded(std::move(capable), "capable", parts),
                               .breaker = std::make_shared<weft::circuit_breaker>()};
    weft::fallback_entry second{.model = guarded(std::move(balanced), "balanced", parts)};
    auto either = std::make_shared<weft::fallback_model>(std::vector{first, second});
    return std::make_shared<weft::cached_model>(std::move(either), parts.cache);
}
// [/stack]

std::shared_ptr<weft::chat_model> model_at(weft::testing::scripted_endpoint& endpoint, const std::string& name)
{
    const weft::http_client client{{.tls = {.ca_pem = endpoint.ca_pem()}}};
    weft::openai_model_options options;
    options.base_url = endpoint.url();
    options.model = name;
    return std::make_shared<weft::openai_model>(client, std::move(options));
}

int main()
{
    using namespace weft::testing;
    scripted_endpoint failing;
    failing.when(user_contains("rain")).reply(status(503)).reply(status(503)).reply(status(503));
    scripted_endpoint working;
    working.when(user_contains("rain"))
        .reply(status(503))
        .reply(text("Rain is water that falls.").between_tokens(1ms));

    shared_parts parts;
    parts.prices = std::make_shared<const weft::price_table>(weft::price_table::from(weft::parse_json(
        R"({"models": [{"match": "capable", "input": 2, "output": 10}, {"match": "*", "input": 1, "output": 4}]})")));
    const auto model = stacked(model_at(failing, "capable"), model_at(working, "balanced"), parts);

    // [budget]
    weft::budget limits;
    limits.cost = weft::usd_micros{50'000};
    limits.model_calls = 20;
    weft::chat_request question;
    question.user("What is rain?");
    question.budget = std::make_shared<weft::budget_ledger>("this run", limits);
    // [/budget]
    const weft::chat_reply first = weft::run_blocking(model->reply(question));
    const weft::chat_reply again = weft::run_blocking(model->reply(question));
    std::cout << first.message.text() << " (" << first.attempts << " attempts, then " << again.attempts
              << "; spent " << to_string(question.budget->spent().cost) << ")\n";
    return first.attempts == 5 && again.attempts == 0 ? 0 : 1;
}
