#include <boost/test/unit_test.hpp>

#include "model/fake_embeddings.hpp"

#include <weft/async/scope.hpp>
#include <weft/model/decorator/retrying_embedding_model.hpp>
#include <weft/testing/async_test_case.hpp>

BOOST_AUTO_TEST_SUITE(retrying_embedding_model_test)

namespace {

using namespace fake_models;
using weft::errc;
using weft::task;
namespace this_task = weft::this_task;
using texts = std::vector<std::string>;

}  // namespace

WEFT_ASYNC_TEST_CASE(a_call_that_fails_in_passing_is_made_again)
{
    const auto inner = std::make_shared<fake_embeddings>(std::vector{status(503), lost()});
    weft::retrying_embedding_model model{inner};
    const ended_embedding ended = co_await embed(model, texts(2, "text"));
    BOOST_TEST(!ended.code);
    BOOST_TEST(inner->asked.size() == 3u);
    BOOST_TEST(ended.made.vectors.size() == 2u);
    BOOST_TEST((ended.made.usage.input == weft::tokens{20}));
    BOOST_TEST(ended.made.usage.unreported == 1);  // the connection that was lost may have been paid
    BOOST_TEST(model.label() == "vectors");
}

WEFT_ASYNC_TEST_CASE(a_call_that_would_fail_again_is_made_once)
{
    const auto inner = std::make_shared<fake_embeddings>(std::vector{status(401)});
    weft::retrying_embedding_model model{inner};
    const ended_embedding ended = co_await embed(model, texts(1, "text"));
    BOOST_TEST((ended.code == errc::model_unauthorized));
    BOOST_TEST(inner->asked.size() == 1u);
}

WEFT_ASYNC_TEST_CASE(attempts_have_an_end)
{
    const auto inner = std::make_shared<fake_embeddings>(std::vector(9, status(503)));
    weft::retrying_embedding_options options;
    options.policy.attempts_max = 2;
    weft::retrying_embedding_model model{inner, options};
    const ended_embedding ended = co_await embed(model, texts(1, "text"));
    BOOST_TEST((ended.code == errc::model_overloaded));
    BOOST_TEST(inner->asked.size() == 2u);
}

WEFT_ASYNC_TEST_CASE(a_stop_ends_the_wait_between_attempts)
{
    const weft::task_context& context = co_await this_task::context();
    const auto inner = std::make_shared<fake_embeddings>(std::vector(9, status(503)));
    weft::retrying_embedding_model model{inner};
    std::vector<ended_embedding> all;
    weft::scope children{context};
    children.spawn(embed_and_note(model, texts(1, "text"), all));
    co_await weft::sleep_for(200ms);
    children.request_stop();
    co_await children.join();
    BOOST_REQUIRE(all.size() == 1u);
    BOOST_TEST((all[0].code == errc::cancelled));
    BOOST_TEST(inner->asked.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
