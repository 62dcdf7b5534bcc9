#include <boost/test/unit_test.hpp>

#include "model/fake_embeddings.hpp"

#include <weft/async/scope.hpp>
#include <weft/model/decorator/cached_embedding_model.hpp>
#include <weft/testing/async_test_case.hpp>

BOOST_AUTO_TEST_SUITE(cached_embedding_model_test)

namespace {

using namespace fake_models;
using weft::errc;
using weft::task;
namespace this_task = weft::this_task;
using texts = std::vector<std::string>;

texts some(std::initializer_list<const char*> all)
{
    return texts(all.begin(), all.end());
}

}  // namespace

WEFT_ASYNC_TEST_CASE(a_text_is_asked_for_once_and_its_vector_comes_in_its_place)
{
    const auto inner = std::make_shared<fake_embeddings>();
    weft::cached_embedding_model model{inner};
    texts first = some({"a", "bb", "a"});
    const ended_embedding one = co_await embed(model, std::move(first));
    BOOST_REQUIRE(one.made.vectors.size() == 3u);
    BOOST_TEST(one.made.vectors[1][0] == 2.0F);
    BOOST_TEST((one.made.vectors[0] == one.made.vectors[2]));
    BOOST_TEST((one.made.usage.input == weft::tokens{20}));
    texts second = some({"ccc", "bb"});
    const ended_embedding two = co_await embed(model, std::move(second));
    BOOST_TEST(two.made.vectors[0][0] == 3.0F);
    BOOST_TEST(two.made.vectors[1][0] == 2.0F);
    BOOST_TEST((two.made.usage.input == weft::tokens{10}));
    BOOST_REQUIRE(inner->asked.size() == 2u);
    BOOST_TEST((inner->asked[0] == some({"a", "bb"}) && inner->asked[1] == some({"ccc"})));
    const ended_embedding none = co_await embed(model, texts());
    BOOST_TEST((none.made.vectors.empty() && inner->asked.size() == 2u));
}

WEFT_ASYNC_TEST_CASE(calls_side_by_side_that_share_texts_do_not_wait_for_each_other_in_vain)
{
    const weft::task_context& context = co_await this_task::context();
    const auto inner = std::make_shared<fake_embeddings>();
    weft::cached_embedding_model model{inner};
    std::vector<ended_embedding> all;
    weft::scope children{context};
    children.spawn(embed_and_note(model, some({"a", "bb"}), all));
    children.spawn(embed_and_note(model, some({"bb", "ccc", "a"}), all));
    children.spawn(embed_and_note(model, some({"ccc"}), all));
    co_await children.join();
    BOOST_REQUIRE(all.size() == 3u);
    BOOST_TEST(inner->asked.size() == 2u);
    for (const ended_embedding& each : all) BOOST_TEST(!each.code);
}

WEFT_ASYNC_TEST_CASE(an_error_is_shared_and_not_remembered)
{
    const weft::task_context& context = co_await this_task::context();
    const auto inner = std::make_shared<fake_embeddings>(std::vector{status(500)});
    weft::cached_embedding_model model{inner};
    std::vector<ended_embedding> all;
    weft::scope children{context};
    for (int i = 0; i < 2; ++i) children.spawn(embed_and_note(model, some({"a"}), all));
    co_await children.join();
    BOOST_TEST((all[0].code == errc::model_overloaded && all[1].code == errc::model_overloaded));
    const ended_embedding again = co_await embed(model, texts(1, "a"));
    BOOST_TEST(again.made.vectors.size() == 1u);
}

WEFT_ASYNC_TEST_CASE(a_stopped_call_leaves_its_texts_to_one_that_waits)
{
    const weft::task_context& context = co_await this_task::context();
    const auto inner = std::make_shared<fake_embeddings>();
    weft::cached_embedding_model model{inner};
    std::vector<ended_embedding> all;
    weft::scope doomed{context};
    doomed.spawn(embed_and_note(model, some({"a", "bb"}), all));
    weft::scope children{context};
    children.spawn(embed_and_note(model, some({"bb"}), all));
    doomed.request_stop();
    co_await doomed.join();
    co_await children.join();
    BOOST_REQUIRE(all.size() == 2u);
    BOOST_TEST((all[0].code == errc::cancelled));
    BOOST_TEST(all[1].made.vectors.size() == 1u);
    BOOST_TEST(inner->asked.size() == 2u);
}

WEFT_ASYNC_TEST_CASE(old_vectors_and_too_many_are_asked_for_again)
{
    const auto inner = std::make_shared<fake_embeddings>();
    weft::embedding_cache_options options;
    options.entries_max = 1;
    options.keep_for = 1h;
    weft::cached_embedding_model model{inner, options};
    (void)co_await embed(model, texts(1, "a"));
    co_await weft::sleep_for(61min);
    (void)co_await embed(model, texts(1, "a"));
    BOOST_TEST(inner->asked.size() == 2u);
    (void)co_await embed(model, texts(1, "bb"));
    (void)co_await embed(model, texts(1, "a"));
    BOOST_TEST(inner->asked.size() == 4u);
    BOOST_TEST(model.counts().entries == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
