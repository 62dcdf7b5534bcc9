#include <boost/test/unit_test.hpp>

#include "model/fake_embeddings.hpp"

#include <weft/async/scope.hpp>
#include <weft/model/decorator/limited_embedding_model.hpp>
#include <weft/testing/async_test_case.hpp>

BOOST_AUTO_TEST_SUITE(limited_embedding_model_test)

namespace {

using namespace fake_models;
using weft::errc;
using weft::task;
namespace this_task = weft::this_task;
using texts = std::vector<std::string>;

}  // namespace

WEFT_ASYNC_TEST_CASE(calls_for_vectors_wait_for_the_limits_of_their_endpoint)
{
    const weft::task_context& context = co_await this_task::context();
    const auto inner = std::make_shared<fake_embeddings>();
    weft::rate_limiter_options options;
    options.limits.in_flight_max = 1;
    weft::rate_limiter limiter{options};
    weft::limited_embedding_model model{inner, limiter, {.key = {.provider = "p", .model = "m"}}};
    std::vector<ended_embedding> all;
    weft::scope children{context};
    for (int i = 0; i < 3; ++i) children.spawn(embed_and_note(model, texts(1, "text"), all));
    BOOST_TEST(inner->asked.size() == 1u);
    BOOST_TEST(limiter.waiting({.provider = "p", .model = "m"}) == 2u);
    co_await children.join();
    BOOST_TEST(inner->asked.size() == 3u);
    BOOST_TEST(all.back().made.vectors.size() == 1u);
    BOOST_TEST(limiter.in_flight({.provider = "p", .model = "m"}) == 0u);
}

WEFT_ASYNC_TEST_CASE(a_refusal_for_too_many_calls_holds_the_next_one_back)
{
    const weft::task_context& context = co_await this_task::context();
    const auto inner = std::make_shared<fake_embeddings>(std::vector{status(429, 5'000ms)});
    weft::limited_embedding_model model{inner, weft::rate_limiter{}};
    const ended_embedding refused = co_await embed(model, texts(1, "text"));
    BOOST_TEST((refused.code == errc::model_rate_limited));
    const weft::time_point before = context.loop->now();
    const ended_embedding made = co_await embed(model, texts(1, "text"));
    BOOST_TEST(made.made.vectors.size() == 1u);
    BOOST_TEST((context.loop->now() - before >= 5s));
}

BOOST_AUTO_TEST_SUITE_END()
