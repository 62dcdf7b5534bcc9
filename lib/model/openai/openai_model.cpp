#include <weft/model/openai_model.hpp>

#include "model/wire/base_url.hpp"
#include "model/wire/openai_dialect.hpp"
#include "model/wire/provider_model.hpp"
#include "openai_request.hpp"

#include <utility>

namespace weft {

openai_model::openai_model(http_client client, openai_model_options options)
    : client_{std::move(client)}, options_{std::move(options)},
      target_{model_detail::target_below(options_.base_url, "/chat/completions")},
      label_{model_detail::label_of(options_.model, target_)}
{
    model_detail::check_options(options_, target_);
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
    model_detail::put_shared_parts(out, request, options_, options_.profile);
    out.body(openai_request_body(request, options_.profile, options_.model), "application/json");
    return out;
}

task<chat_reply> openai_model::do_reply(chat_request request, chat_sink& sink)
{
    return sampling_.ask(std::move(request), sink,
                         [this](chat_request asked, chat_sink& to) { return ask(std::move(asked), to); });
}

task<chat_reply> openai_model::ask(chat_request request, chat_sink& sink)
{
    using namespace model_detail;
    provider_call call = started_call(request, options_, options_.profile, target_, openai_dialect);
    call.write = [this](const chat_request& asked) { return make_request(asked); };
    call.begin = reader_of<openai_stream>(options_.profile);
    return call_provider(client_, std::move(request), std::move(call), sink);
}

}  // namespace weft
