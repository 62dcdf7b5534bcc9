#include <weft/model/openai_model.hpp>

#include <weft/async/serial_loop.hpp>
#include <weft/base/error.hpp>
#include <weft/model/openai_request.hpp>

#include "openai_dialect.hpp"
#include "provider_call.hpp"

#include <memory>
#include <utility>

namespace weft {

namespace {

std::string label_of(std::string_view model, const url& target)
{
    return std::string{model} + " at " + target.endpoint();
}

const std::string& asked_model(const chat_request& request, const openai_model_options& options)
{
    return request.model.empty() ? options.model : request.model;
}

}  // namespace

openai_model::openai_model(http_client client, openai_model_options options)
    : client_{std::move(client)}, options_{std::move(options)},
      target_{url{options_.base_url}.appended("chat/completions")}, label_{label_of(options_.model, target_)}
{
    if (options_.model.empty())
        throw error{errc::invalid_configuration, target_.endpoint(), "name the model in openai_model_options::model"};
    chat_request sample;
    sample.user("?");
    (void)make_request(sample);  // refuses now what no request could send
}

http_request openai_model::make_request(const chat_request& request) const
{
    http_request out{"POST", target_};
    out.header("Accept", "text/event-stream");
    if (!options_.organization.empty()) out.header("OpenAI-Organization", options_.organization);
    if (!options_.project.empty()) out.header("OpenAI-Project", options_.project);
    for (const auto& [name, value] : options_.profile.headers) out.header(name, value);
    if (!request.call_id.empty()) out.header("Idempotency-Key", request.call_id);
    if (!options_.key.empty()) out.secret(options_.profile.auth_header, options_.key, options_.profile.auth_prefix);
    if (options_.timeouts) out.timeouts(*options_.timeouts);
    out.body(openai_request_body(request, options_.profile, options_.model), "application/json");
    return out;
}

task<chat_reply> openai_model::do_reply(chat_request request, chat_sink& sink)
{
    http_request outgoing = make_request(request);
    model_detail::provider_call call{model_detail::openai_dialect, options_.key};
    call.reading.model = asked_model(request, options_);
    call.reading.where = label_of(call.reading.model, target_);
    call.reading.limits = options_.limits;
    serial_loop& loop = co_await this_task::loop();
    call.reading.id_seed = loop.random().next();
    call.begin = [this](reply_options reading) -> std::unique_ptr<model_detail::provider_reply> {
        using reply = model_detail::provider_reply_of<openai_stream>;
        return std::make_unique<reply>(std::move(reading), options_.profile, options_.key);
    };
    chat_reply reply = co_await model_detail::call_provider(client_, std::move(outgoing), std::move(call), sink);
    co_return reply;
}

}  // namespace weft
