#include <weft/model/ollama_model.hpp>

#include <weft/async/serial_loop.hpp>
#include <weft/base/error.hpp>
#include <weft/model/ollama_request.hpp>
#include <weft/model/ollama_stream.hpp>

#include "ollama_dialect.hpp"
#include "provider_call.hpp"

#include <memory>
#include <utility>

namespace weft {

namespace {

std::string ollama_label(std::string_view model, const url& target)
{
    return std::string{model} + " at " + target.endpoint();
}

url chat_target(const std::string& base_url)
{
    const url base{base_url};
    std::string_view path = std::string_view{base.target()}.substr(0, base.target().find('?'));
    while (path.ends_with('/')) path.remove_suffix(1);
    if (path.ends_with("/api") || path.ends_with("/api/chat"))
        throw error{errc::invalid_url, base.endpoint(), "leave out /api/chat, which weft adds"};
    if (path.ends_with("/v1"))
        throw error{errc::invalid_url, base.endpoint(),
                    "/v1 is where Ollama speaks like OpenAI: leave it out, or use openai_model"};
    return base.appended("api/chat");
}

}  // namespace

ollama_model::ollama_model(http_client client, ollama_model_options options)
    : client_{std::move(client)}, options_{std::move(options)}, target_{chat_target(options_.base_url)},
      label_{ollama_label(options_.model, target_)}
{
    if (options_.model.empty())
        throw error{errc::invalid_configuration, target_.endpoint(), "name the model in ollama_model_options::model"};
    chat_request sample;
    sample.user("?");
    (void)make_request(sample);  // refuses now what no request could send
}

http_request ollama_model::make_request(const chat_request& request) const
{
    http_request out{"POST", target_};
    out.header("Accept", "application/x-ndjson");
    for (const auto& [name, value] : options_.settings.headers) out.header(name, value);
    if (!request.call_id.empty()) out.header("Idempotency-Key", request.call_id);
    if (!options_.key.empty()) out.bearer(options_.key);
    if (options_.timeouts) out.timeouts(*options_.timeouts);
    out.body(ollama_request_body(request, options_.settings, options_.model), "application/json");
    return out;
}

task<chat_reply> ollama_model::do_reply(chat_request request, chat_sink& sink)
{
    http_request outgoing = make_request(request);
    model_detail::provider_call call{model_detail::ollama_dialect, options_.key};
    call.framing = model_detail::stream_framing::json_lines;
    call.reading.model = request.model.empty() ? options_.model : request.model;
    call.reading.where = ollama_label(call.reading.model, target_);
    call.reading.limits = options_.limits;
    serial_loop& loop = co_await this_task::loop();
    call.reading.id_seed = loop.random().next();
    call.begin = [this](reply_options reading) -> std::unique_ptr<model_detail::provider_reply> {
        using reply = model_detail::provider_reply_of<ollama_stream>;
        return std::make_unique<reply>(std::move(reading), options_.key);
    };
    chat_reply reply = co_await model_detail::call_provider(client_, std::move(outgoing), std::move(call), sink);
    co_return reply;
}

}  // namespace weft
