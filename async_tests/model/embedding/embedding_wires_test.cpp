#include <boost/test/unit_test.hpp>

#include "model/embedding/embedding_wires.hpp"
#include "model/wire/streamed_text.hpp"

#include <boost/json/parse.hpp>

#include <string>
#include <string_view>
#include <vector>

BOOST_AUTO_TEST_SUITE(embedding_wires_test)

namespace detail = weft::model_detail;
using weft::errc;
using weft::usage;
using vectors = std::vector<std::vector<float>>;

namespace {

const std::vector<std::string> texts{"A cat", "A \"dog\"\xff"};

detail::embedding_reply read(decltype(&detail::openai_embedding_reply) reader, std::string_view reply,
                             detail::embedding_expectation expected = {.count = 2})
{
    return reader(boost::json::parse(reply).as_object(), expected);
}

/** What is said of a reply that is refused. */
std::string refusal(decltype(&detail::openai_embedding_reply) reader, std::string_view reply,
                    detail::embedding_expectation expected = {.count = 2})
{
    try {
        const detail::embedding_reply taken = read(reader, reply, expected);
        detail::check_lengths(taken.vectors, expected.dimensions);
    } catch (const detail::reply_refused& e) {
        BOOST_TEST((e.code == errc::invalid_model_reply || e.code == errc::response_too_large));
        return e.detail;
    }
    return "taken";
}

std::string ollama_refusal(std::string_view vector, detail::embedding_expectation expected = {.count = 1})
{
    return refusal(&detail::ollama_embedding_reply, R"({"embeddings":[)" + std::string{vector} + "]}", expected);
}

}  // namespace

BOOST_AUTO_TEST_CASE(openai_gets_texts_a_model_and_dimensions)
{
    BOOST_TEST(detail::openai_embedding_body({"m", texts, {}}) ==
               "{\"model\":\"m\",\"input\":[\"A cat\",\"A \\\"dog\\\"\xEF\xBF\xBD\"],\"encoding_format\":\"float\"}");
    BOOST_TEST(detail::openai_embedding_body({"m", std::span{texts}.first(1), 8}) ==
               R"({"model":"m","input":["A cat"],"dimensions":8,"encoding_format":"float"})");
}

BOOST_AUTO_TEST_CASE(gemini_gets_a_request_for_each_text)
{
    BOOST_TEST(detail::gemini_embedding_body({"m", std::span{texts}.first(1), 8}) ==
               R"({"requests":[{"model":"models/m","content":{"parts":[{"text":"A cat"}]},)"
               R"("outputDimensionality":8}]})");
    BOOST_TEST(detail::gemini_embedding_body({"tunedModels/m", std::span{texts}.first(1), {}}) ==
               R"({"requests":[{"model":"tunedModels/m","content":{"parts":[{"text":"A cat"}]}}]})");
}

BOOST_AUTO_TEST_CASE(ollama_cuts_no_text_unseen)
{
    BOOST_TEST(detail::ollama_embedding_body({"m", std::span{texts}.first(1), {}}) ==
               R"({"model":"m","input":["A cat"],"truncate":false})");
    BOOST_TEST(detail::ollama_embedding_body({"m", std::span{texts}.first(1), 8}) ==
               R"({"model":"m","input":["A cat"],"truncate":false,"dimensions":8})");
}

BOOST_AUTO_TEST_CASE(openai_vectors_are_put_in_order_by_their_index)
{
    const auto reply = read(&detail::openai_embedding_reply, R"({"data":[{"index":1,"embedding":[3,-4.5]},
        {"index":0,"embedding":[1e-2,2]}],"usage":{"prompt_tokens":7}})");
    BOOST_TEST((reply.vectors == vectors{{0.01F, 2}, {3, -4.5F}}));
    BOOST_TEST((reply.usage.input == weft::tokens{7}));
    BOOST_TEST(reply.usage.is_exact());
    const auto bare = read(&detail::openai_embedding_reply, R"({"data":[{"embedding":[1]},{"embedding":[2]}]})");
    BOOST_TEST((bare.vectors == vectors{{1}, {2}}));
    BOOST_TEST(bare.usage.unreported == 1);
}

BOOST_AUTO_TEST_CASE(gemini_and_ollama_vectors_come_in_order)
{
    const auto gemini =
        read(&detail::gemini_embedding_reply, R"({"embeddings":[{"values":[1,2]},{"values":[3,4]}]})");
    BOOST_TEST((gemini.vectors == vectors{{1, 2}, {3, 4}}));
    BOOST_TEST((gemini.usage == usage::unknown()));
    const auto ollama = read(&detail::ollama_embedding_reply, R"({"embeddings":[[1,2],[3,4]],"prompt_eval_count":9})");
    BOOST_TEST((ollama.vectors == vectors{{1, 2}, {3, 4}}));
    BOOST_TEST((ollama.usage.input == weft::tokens{9}));
}

BOOST_AUTO_TEST_CASE(an_index_names_a_text_and_names_it_once)
{
    const auto said = [](std::string_view second) {
        return refusal(&detail::openai_embedding_reply,
                       R"({"data":[{"index":0,"embedding":[1]},)" + std::string{second} + "]}");
    };
    BOOST_TEST(said(R"({"index":0,"embedding":[1]})") == "two vectors came for text 0");
    BOOST_TEST(said(R"({"index":2,"embedding":[1]})") == "entry 1 of the vectors has no index of a text");
    BOOST_TEST(said(R"({"index":-1,"embedding":[1]})") == "entry 1 of the vectors has no index of a text");
    BOOST_TEST(said(R"({"index":"1","embedding":[1]})") == "entry 1 of the vectors has no index of a text");
    BOOST_TEST(said("5") == "entry 1 of the vectors is no object");
    BOOST_TEST(said(R"({"index":1,"embedding":[1]})") == "taken");
}

BOOST_AUTO_TEST_CASE(a_reply_has_one_vector_for_each_text)
{
    BOOST_TEST(refusal(&detail::openai_embedding_reply, R"({"data":[{"embedding":[1]}]})") ==
               "1 vectors came for 2 texts");
    BOOST_TEST(refusal(&detail::gemini_embedding_reply, R"({"embeddings":{}})") ==
               "the reply has no list 'embeddings'");
    BOOST_TEST(refusal(&detail::gemini_embedding_reply, R"({"embeddings":[{"values":[1]},7]})") ==
               "the vector of text 1 is no list of numbers");
    BOOST_TEST(refusal(&detail::ollama_embedding_reply, R"({"embeddings":[[1],[2],[3]]})") ==
               "3 vectors came for 2 texts");
    BOOST_TEST(refusal(&detail::ollama_embedding_reply, R"({"embeddings":[[1],[2,3]]})") ==
               "the vector of text 1 has 2 numbers, not 1");
}

BOOST_AUTO_TEST_CASE(a_vector_has_finite_numbers_within_its_bound)
{
    BOOST_TEST(ollama_refusal("[1,2]") == "taken");
    BOOST_TEST(ollama_refusal("[]") == "the vector of text 0 is empty");
    BOOST_TEST(ollama_refusal("\"AAAA\"") == "the vector of text 0 is no list of numbers");
    BOOST_TEST(ollama_refusal("[1,null]") == "the vector of text 0 has something in it that is no number");
    BOOST_TEST(ollama_refusal("[1,\"2\"]") == "the vector of text 0 has something in it that is no number");
    BOOST_TEST(ollama_refusal("[3.4e38]") == "taken");
    BOOST_TEST(ollama_refusal("[1,-1e39]") == "the vector of text 0 has a number in it that is too large");
    BOOST_TEST(ollama_refusal("[1,2,3]", {.count = 1, .dimensions_max = 2}) ==
               "the vector of text 0 has 3 numbers, more than 2");
    BOOST_TEST(ollama_refusal("[1,2,3]", {.count = 1, .dimensions = 2}) ==
               "the vector of text 0 has 3 numbers, not 2");
}

BOOST_AUTO_TEST_SUITE_END()
