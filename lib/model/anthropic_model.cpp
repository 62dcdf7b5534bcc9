#include <weft/model/anthropic_model.hpp>

#include <weft/async/serial_loop.hpp>
#include <weft/base/error.hpp>
#include <weft/model/anthropic_request.hpp>
#include <weft/model/anthropic_stream.hpp>

#include "anthropic_dialect.hpp"
#include "provider_call.hpp"

#include <memory>
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
      target_{url{options_.base_url}.appended("messages")}, label_{options_.model + " at " + target_.endpoint()}
{
    if (options_.model.empty())
        throw error{errc::invalid_configuration, target_.endpoint(),
                    "name the model in anthropic_model_options::model"};
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
    for (const auto& [name, value] : settings.headers) out.header(name, value);
    if (!request.call_id.empty()) out.header("Idempotency-Key", request.call_id);
    if (!options_.key.empty()) out.secret(settings.auth_header, options_.key, settings.auth_prefix);
    if (options_.timeouts) out.timeouts(*options_.timeouts);
    out.body(anthropic_request_body(request, settings, options_.model), "application/json");
    return out;
}

task<chat_reply> anthropic_model::do_reply(chat_request request, chat_sink& sink)
{
    http_request outgoing = make_request(request);
    model_detail::provider_call call{model_detail::anthropic_dialect, options_.key};
    call.reading.model = request.model.empty() ? options_.model : request.model;
    call.reading.where = call.reading.model + " at " + target_.endpoint();
    call.reading.limits = options_.limits;
    serial_loop& loop = co_await this_task::loop();
    call.reading.id_seed = loop.random().next();
    call.begin = [this](reply_options reading) -> std::unique_ptr<model_detail::provider_reply> {
        using reply = model_detail::provider_reply_of<anthropic_stream>;
        return std::make_unique<reply>(std::move(reading), options_.settings, options_.key);
    };
    chat_reply reply = co_await model_detail::call_provider(client_, std::move(outgoing), std::move(call), sink);
    co_return reply;
}

}  // namespace weft
