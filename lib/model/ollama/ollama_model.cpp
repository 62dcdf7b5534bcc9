#include <weft/model/ollama_model.hpp>

#include <weft/base/error.hpp>

#include "model/wire/provider_model.hpp"
#include "ollama_dialect.hpp"
#include "ollama_request.hpp"
#include "ollama_stream.hpp"

#include <utility>

namespace weft {

namespace {

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
      label_{model_detail::label_of(options_.model, target_)}
{
    model_detail::check_options(options_, target_);
    chat_request sample;
    sample.user("?");
    (void)make_request(sample);  // refuses now what no request could send
}

http_request ollama_model::make_request(const chat_request& request) const
{
    http_request out{"POST", target_};
    out.header("Accept", "application/x-ndjson");
    model_detail::put_shared_parts(out, request, options_, options_.settings);
    out.body(ollama_request_body(request, options_.settings, options_.model), "application/json");
    return out;
}

task<chat_reply> ollama_model::do_reply(chat_request request, chat_sink& sink)
{
    using namespace model_detail;
    provider_call call = started_call(request, options_, options_.settings, target_, ollama_dialect);
    call.framing = stream_framing::json_lines;
    call.write = [this](const chat_request& asked) { return make_request(asked); };
    call.begin = reader_of<ollama_stream>();
    return call_provider(client_, std::move(request), std::move(call), sink);
}

}  // namespace weft
