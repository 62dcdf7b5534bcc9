#include "responses_provider.hpp"

#include "model/openai/openai_provider.hpp"
#include "model/wire/base_url.hpp"

#include <utility>

namespace weft::model_detail {

provider_description responses_provider(const responses_model_options& options)
{
    const auto settings = std::make_shared<const responses_settings>(options.settings);
    provider_description how{.base = target_below(options.base_url, "/responses")};
    how.headers = {{"Accept", "text/event-stream"}};
    put_openai_account(how.headers, options.organization, options.project);
    how.headers.insert(how.headers.end(), settings->headers.begin(), settings->headers.end());
    how.key_header = settings->auth_header;
    how.key_prefix = settings->auth_prefix;
    how.write = [settings, model = options.model](const chat_request& request) {
        return responses_request_body(request, *settings, model);
    };
    how.read = [settings](reply_options reading, const secret_string& key) {
        return responses_reader(std::move(reading), *settings, key);
    };
    how.errors = &openai_errors;
    how.learns_sampling = true;
    return how;
}

}  // namespace weft::model_detail
