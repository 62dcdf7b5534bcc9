#include <weft/model/any_model.hpp>

#include <utility>

namespace weft {

namespace {

struct model_maker {
    http_client& client;

    std::shared_ptr<chat_model> operator()(openai_model_options& options) const
    {
        return std::make_shared<openai_model>(std::move(client), std::move(options));
    }
    std::shared_ptr<chat_model> operator()(responses_model_options& options) const
    {
        return std::make_shared<responses_model>(std::move(client), std::move(options));
    }
    std::shared_ptr<chat_model> operator()(anthropic_model_options& options) const
    {
        return std::make_shared<anthropic_model>(std::move(client), std::move(options));
    }
    std::shared_ptr<chat_model> operator()(gemini_model_options& options) const
    {
        return std::make_shared<gemini_model>(std::move(client), std::move(options));
    }
    std::shared_ptr<chat_model> operator()(ollama_model_options& options) const
    {
        return std::make_shared<ollama_model>(std::move(client), std::move(options));
    }
};

}  // namespace

void set_credentials(any_model_options& options, std::shared_ptr<credential_source> source)
{
    const auto set = [&source](auto& one) {
        one.key.wipe();
        one.credentials = std::move(source);
    };
    std::visit(set, options);
}

std::shared_ptr<chat_model> make_model(http_client client, any_model_options options)
{
    return std::visit(model_maker{client}, options);
}

}  // namespace weft
