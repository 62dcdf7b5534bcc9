#pragma once

#include <weft/model/chat_model.hpp>

#include <memory>
#include <string_view>

namespace weft {

namespace model_detail {
struct provider;
}

/** What the models of all providers are: a description of the provider, and one way to ask it.
 *
 *  Users make an `openai_model`, `responses_model`, `anthropic_model`, `gemini_model` or `ollama_model`.
 *
 *  @par Errors          Those of the model that is made.
 *  @par Cancellation    Closes the connection. A reply that was complete by then is lost as well.
 *  @par Thread safety   From any loop. Copies share their connections and what they have learnt of the endpoint.
 */
class provider_model : public chat_model {
public:
    [[nodiscard]] std::string_view label() const noexcept override;

protected:
    explicit provider_model(std::shared_ptr<const model_detail::provider> provider) noexcept;
    provider_model(const provider_model&) = default;
    provider_model& operator=(const provider_model&) = default;

private:
    [[nodiscard]] task<chat_reply> do_reply(chat_request request, chat_sink& sink) override;

    std::shared_ptr<const model_detail::provider> provider_;
};

}  // namespace weft
