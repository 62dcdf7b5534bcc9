#include <weft/model/wire/provider_model.hpp>

#include "provider.hpp"
#include "provider_call.hpp"

#include <utility>

namespace weft {

provider_model::provider_model(std::shared_ptr<const model_detail::provider> provider) noexcept
    : provider_{std::move(provider)}
{
}

std::string_view provider_model::label() const noexcept { return provider_->label; }

task<chat_reply> provider_model::do_reply(chat_request request, chat_sink& sink)
{
    const model_detail::provider& from = *provider_;
    if (!from.how.learns_sampling) return model_detail::ask_provider(from, std::move(request), sink);
    return from.sampling.ask(std::move(request), sink, [&from](chat_request asked, chat_sink& to) {
        return model_detail::ask_provider(from, std::move(asked), to);
    });
}

}  // namespace weft
