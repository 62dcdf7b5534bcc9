#include <boost/test/unit_test.hpp>

#include <weft/async/run_blocking.hpp>
#include <weft/base/error.hpp>
#include <weft/testing/model/word_embedding_model.hpp>

#include <numeric>
#include <string>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(word_embedding_model_test)

namespace {

weft::embeddings embed(std::vector<std::string> texts, std::size_t dimensions = 256)
{
    weft::testing::word_embedding_model model{dimensions};
    return weft::run_blocking(model.embed(std::move(texts)));
}

float product(const std::vector<float>& left, const std::vector<float>& right)
{
    return std::inner_product(left.begin(), left.end(), right.begin(), 0.0F);
}

}  // namespace

BOOST_AUTO_TEST_CASE(texts_that_share_words_are_alike)
{
    const auto made = embed({"The cat sleeps here.", "a CAT sleeps", "interest rates rise", "the cat, sleeps here!"});
    BOOST_REQUIRE(made.vectors.size() == 4);
    BOOST_TEST(product(made.vectors[0], made.vectors[1]) > 0.5F);
    BOOST_TEST(product(made.vectors[0], made.vectors[2]) < 0.1F);
    BOOST_TEST((made.vectors[0] == made.vectors[3]));
    BOOST_TEST((made.usage.input == weft::tokens{14}));
}

BOOST_AUTO_TEST_CASE(every_vector_has_the_length_1)
{
    const auto made = embed({"one", "one one two", "?!", "\xC3\xA9t\xC3\xA9"}, 7);
    for (const std::vector<float>& vector : made.vectors) {
        BOOST_TEST(vector.size() == 7U);
        BOOST_TEST(product(vector, vector) == 1.0F, boost::test_tools::tolerance(1e-5F));
    }
}

BOOST_AUTO_TEST_CASE(an_empty_text_is_refused_by_its_place)
{
    BOOST_CHECK_EXCEPTION((void)embed({"a", ""}), weft::error, [](const weft::error& e) {
        return e.code() == weft::errc::invalid_configuration && e.where() == "texts[1]";
    });
}

BOOST_AUTO_TEST_SUITE_END()
