#include <weft/model/anthropic_model.hpp>

#include "anthropic_dialect.hpp"
#include "anthropic_request.hpp"
#include "anthropic_stream.hpp"
#include "model/wire/base_url.hpp"
#include "model/wire/provider_model.hpp"

#include <utility>

namespace weft {

namespace {

std::string joined_betas(const std::vector<std::string>& betas)
{
    std::string text;
    for (const std::string& beta : betas) text.append(text.empty() ? "" : ",").append(beta);
    return text;
}

}  // namespace

anthropic_model::anthropic_model(http_client client, anthropic_model_options options)
    : client_{std::move(client)}, options_{std::move(options)},
      target_{model_detail::target_below(options_.base_url, "/messages")},
      label_{model_detail::label_of(options_.model, target_)}
{
    model_detail::check_options(options_, target_);
    chat_request sample;
    sample.user("?");
    (void)make_request(sample);  // refuses now what no request could send
}

http_request anthropic_model::make_request(const chat_request& request) const
{
    const anthropic_settings& settings = options_.settings;
    http_request out{"POST", target_};
    out.header("Accept", "text/event-stream");
    out.header("anthropic-version", settings.version);
    if (!settings.betas.empty()) out.header("anthropic-beta", joined_betas(settings.betas));
    model_detail::put_shared_parts(out, request, options_, settings);
    out.body(anthropic_request_body(request, settings, options_.model), "application/json");
    return out;
}

task<chat_reply> anthropic_model::do_reply(chat_request request, chat_sink& sink)
{
    return sampling_.ask(std::move(request), sink,
                         [this](chat_request asked, chat_sink& to) { return ask(std::move(asked), to); });
}

task<chat_reply> anthropic_model::ask(chat_request request, chat_sink& sink)
{
    using namespace model_detail;
    provider_call call = started_call(request, options_, options_.settings, target_, anthropic_dialect);
    call.write = [this](const chat_request& asked) { return make_request(asked); };
    call.begin = reader_of<anthropic_stream>(options_.settings);
    return call_provider(client_, std::move(request), std::move(call), sink);
}

}  // namespace weft
