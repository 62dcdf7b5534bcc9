#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/model/anthropic_model.hpp>
#include <weft/model/gemini_model.hpp>
#include <weft/model/ollama_model.hpp>
#include <weft/model/openai_model.hpp>
#include <weft/model/responses_model.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(base_url_test)

namespace {

/** What making a model with this base URL comes to; empty: it was made. */
template <class Model, class Options>
std::string refusal(std::string base_url)
{
    Options options;
    options.base_url = std::move(base_url);
    options.model = "m";
    try {
        const Model model{weft::http_client{}, options};
    } catch (const weft::error& e) {
        return e.code() == weft::errc::invalid_url ? e.detail() : "another error";
    }
    return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(U3_a_base_url_with_the_whole_path_is_refused_with_what_to_write)
{
    using namespace weft;
    const std::string said = refusal<openai_model, openai_model_options>("https://a.example/v1/chat/completions?v=1");
    BOOST_TEST(said == "leave out /chat/completions, which weft adds: the path of the base URL is '/v1'");
    BOOST_TEST((refusal<responses_model, responses_model_options>("https://a.example/v1/responses/")) ==
               "leave out /responses, which weft adds: the path of the base URL is '/v1'");
    BOOST_TEST((refusal<anthropic_model, anthropic_model_options>("https://a.example/messages")) ==
               "leave out /messages, which weft adds: the path of the base URL is '/'");
    BOOST_TEST((refusal<gemini_model, gemini_model_options>("https://a.example/v1beta/models")) ==
               "leave out /models, which weft adds: the path of the base URL is '/v1beta'");
    BOOST_TEST((refusal<gemini_model, gemini_model_options>("https://a.example/v1beta/models/x:generateContent"))
                   .starts_with("leave out /models and what follows"));
    BOOST_TEST((refusal<ollama_model, ollama_model_options>("http://localhost:11434/api/chat"))
                   .starts_with("leave out /api/chat"));
    BOOST_TEST((refusal<openai_model, openai_model_options>("https://a.example/v1/")) == "");
    BOOST_TEST((refusal<openai_model, openai_model_options>("https://a.example/chat/completions/v1")) == "");
}

BOOST_AUTO_TEST_SUITE_END()
