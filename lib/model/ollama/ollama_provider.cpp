#include "ollama_provider.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>

#include <utility>

namespace weft::model_detail {

namespace {

void read_sign_in(const boost::json::object& report, parsed_error& parsed)
{
    const std::string_view address = peek_text(report, "signin_url");
    if (!address.empty()) parsed.message.append("; sign in at ").append(bounded_text(address));
}

}  // namespace

const error_dialect ollama_errors{.meanings = {}, .read_more = &read_sign_in};

url ollama_target(const std::string& base_url, std::string_view call)
{
    const url base{base_url};
    const std::string added = "api/" + std::string{call};
    std::string_view path = std::string_view{base.target()}.substr(0, base.target().find('?'));
    while (path.ends_with('/')) path.remove_suffix(1);
    if (path.ends_with("/api") || path.ends_with("/" + added))
        throw error{errc::invalid_url, base.endpoint(), "leave out /" + added + ", which weft adds"};
    if (path.ends_with("/v1"))
        throw error{errc::invalid_url, base.endpoint(),
                    "/v1 is where Ollama speaks like OpenAI: leave it out, or use the model of OpenAI"};
    return base.appended(added);
}

provider_description ollama_provider(const ollama_model_options& options)
{
    const auto settings = std::make_shared<const ollama_settings>(options.settings);
    provider_description how{.base = ollama_target(options.base_url, "chat")};
    how.headers = {{"Accept", "application/x-ndjson"}};
    how.headers.insert(how.headers.end(), settings->headers.begin(), settings->headers.end());
    how.write = [settings, model = options.model](const chat_request& request) {
        return ollama_request_body(request, *settings, model);
    };
    how.read = [](reply_options reading, const secret_string& key) { return ollama_reader(std::move(reading), key); };
    how.errors = &ollama_errors;
    how.framing = stream_framing::json_lines;
    return how;
}

}  // namespace weft::model_detail
