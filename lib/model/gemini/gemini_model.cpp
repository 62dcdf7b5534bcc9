#include <weft/model/gemini_model.hpp>

#include <weft/base/error.hpp>

#include "gemini_dialect.hpp"
#include "gemini_request.hpp"
#include "gemini_stream.hpp"
#include "model/wire/base_url.hpp"
#include "model/wire/provider_model.hpp"

#include <algorithm>
#include <utility>

namespace weft {

namespace {

constexpr std::string_view plain_characters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/@";

bool is_dots(std::string_view segment) noexcept { return segment == "." || segment == ".."; }

/** A name that would lead to another place than it says is refused. */
void check_segments(std::string_view model)
{
    for (std::string_view rest = model;;) {
        const std::size_t slash = rest.find('/');
        const std::string_view segment = rest.substr(0, slash);
        if (segment.empty() || is_dots(segment))
            throw error{errc::invalid_configuration, "model", "a part of the model's name is empty or dots"};
        if (slash == std::string_view::npos) return;
        rest.remove_prefix(slash + 1);
    }
}

std::string model_path(std::string_view model)
{
    check_segments(model);
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string path = model.find('/') == std::string_view::npos ? "models/" : "";
    for (const char c : model) {
        const auto byte = static_cast<unsigned char>(c);
        if (plain_characters.find(c) != std::string_view::npos)
            path += c;
        else
            path.append({'%', digits[byte >> 4], digits[byte & 15]});
    }
    return path;
}

/** Addresses end up in logs. */
void check_no_key(const url& base)
{
    const std::string& target = base.target();
    if (target.find("?key=") == std::string::npos && target.find("&key=") == std::string::npos) return;
    throw error{errc::invalid_configuration, base.endpoint(),
                "the key stands in the URL: give it as the key of the model"};
}

/** An address that goes on to a model and what is asked of it. */
void refuse_whole_call(const url& base)
{
    for (const std::string_view call : {":generateContent", ":streamGenerateContent"})
        if (base.target().substr(0, base.target().find('?')).ends_with(call))
            throw error{errc::invalid_url, base.endpoint(),
                        "leave out /models and what follows, which weft adds, and name the model in `model`"};
}

}  // namespace

gemini_model::gemini_model(http_client client, gemini_model_options options)
    : client_{std::move(client)}, options_{std::move(options)}, base_{options_.base_url},
      label_{model_detail::label_of(options_.model, base_)}
{
    check_no_key(base_);
    model_detail::refuse_whole_address(base_, "/models");
    refuse_whole_call(base_);
    model_detail::check_options(options_, base_);
    chat_request sample;
    sample.user("?");
    (void)make_request(sample);  // refuses now what no request could send
}

url gemini_model::target_of(std::string_view model) const
{
    const url target = base_.appended(model_path(model) + ":streamGenerateContent");
    const bool has_query = target.target().find('?') != std::string::npos;
    return url{target.to_string() + (has_query ? "&alt=sse" : "?alt=sse")};
}

http_request gemini_model::make_request(const chat_request& request) const
{
    const gemini_settings& settings = options_.settings;
    http_request out{"POST", target_of(model_detail::asked_model(request, options_.model))};
    out.header("Accept", "text/event-stream");
    model_detail::put_shared_parts(out, request, options_, settings);
    out.body(gemini_request_body(request, settings, options_.model), "application/json");
    return out;
}

task<chat_reply> gemini_model::do_reply(chat_request request, chat_sink& sink)
{
    using namespace model_detail;
    provider_call call = started_call(request, options_, options_.settings, base_, gemini_dialect);
    call.write = [this](const chat_request& asked) { return make_request(asked); };
    call.begin = reader_of<gemini_stream>(options_.settings);
    return call_provider(client_, std::move(request), std::move(call), sink);
}

}  // namespace weft
