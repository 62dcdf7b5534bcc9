// responses_model and ollama_model against the server of aimock.mjs, which is from another project.
// usage: interop_responses <base URL, which ends with /v1>

#include "provider_checks.hpp"

#include <weft/model/ollama_model.hpp>
#include <weft/model/responses_model.hpp>

#include <string>

int main(int argc, char** argv)
{
    return interop::check_at_url(argc, argv, [](const std::string& base_url) {
        // It does not say why a response is incomplete.
        weft::responses_model responses{weft::http_client{}, {.base_url = base_url, .model = "gpt-x"}};
        interop::check_all(responses, {.reasoning = "six times seven 😀😀", .stop_when_cut = "unknown"});
        // It gives reasoning another name than Ollama does, and always says that all was said.
        weft::ollama_model ollama{weft::http_client{},
                                  {.base_url = base_url.substr(0, base_url.rfind("/v1")), .model = "llama3.2"}};
        interop::check_all(ollama, {.reasoning = "", .stop_when_cut = "stop"});
    });
}
