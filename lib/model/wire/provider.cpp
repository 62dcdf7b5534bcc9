#include "provider.hpp"

#include <weft/base/error.hpp>

#include "request_writing.hpp"

namespace weft::model_detail {

namespace {

std::string label_of(std::string_view model, const url& base) { return std::string{model} + " at " + base.endpoint(); }

void check_options(const provider_options& options, const url& base)
{
    if (options.model.empty())
        throw error{errc::invalid_configuration, base.endpoint(), "name the model in `model`"};
    if (!options.key.empty() && options.credentials)
        throw error{errc::invalid_configuration, base.endpoint(), "give `key` or `credentials`, not both"};
}

}  // namespace

std::shared_ptr<const provider> made_provider(http_client client, provider_options options, provider_description how)
{
    check_options(options, how.base);
    std::string label = label_of(options.model, how.base);
    provider made{.client = std::move(client),
                  .options = std::move(options),
                  .how = std::move(how),
                  .label = std::move(label)};
    chat_request sample;
    sample.user("?");
    (void)written_request(made, sample, made.options.key);  // refuses now what no request could send
    return std::make_shared<const provider>(std::move(made));
}

std::string place_of(const provider& from, const chat_request& request)
{
    return request.model.empty() ? from.label : label_of(request.model, from.how.base);
}

http_request written_request(const provider& from, const chat_request& request, const secret_string& key)
{
    const provider_description& how = from.how;
    http_request out{"POST", how.target ? how.target(asked_model(request, from.options.model)) : how.base};
    for (const auto& [name, value] : how.headers) out.header(name, value);
    if (!request.call_id.empty()) out.header("Idempotency-Key", request.call_id);
    if (request.trace && !request.trace->parent.empty()) {
        const trace_context& trace = *request.trace;
        out.header("traceparent", trace.recorder ? trace.parent : trace.parent_of_call(request.call_id));
        if (!request.trace->state.empty()) out.header("tracestate", request.trace->state);
    }
    if (!key.empty()) out.secret(how.key_header, key, how.key_prefix);
    if (from.options.timeouts) out.timeouts(*from.options.timeouts);
    out.body(how.write(request), "application/json");
    return out;
}

}  // namespace weft::model_detail
