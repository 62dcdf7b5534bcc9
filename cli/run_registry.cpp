#include "run_registry.hpp"

#include "console.hpp"

#include <weft/agent/agent_kinds.hpp>
#include <weft/model/any_model.hpp>

#include <utility>

namespace weft_cli {

std::shared_ptr<weft::chat_model> model_of(const weft::environment_lookup& environment)
{
    auto named = weft::read_any_model_environment(environment);
    if (!named) return nullptr;
    return weft::make_model(weft::http_client{}, std::move(*named));
}

std::string greeting_of(const run_surroundings& around)
{
    if (around.model) return "Asking " + console::harmless_line(around.model->label()) + ".";
    return "No model is configured: replies are scripted. To ask a model, set WEFT_LLM_URL and WEFT_LLM_MODEL, or "
           "OPENAI_API_KEY.";
}

weft::node_registry make_registry(const run_surroundings& around, const stubbed_functions& stubs)
{
    weft::node_registry registry;
    weft::add_agent_kinds(registry, {.model = around.model, .person = around.person.get()});
    stubs.add_to(registry);
    return registry;
}

}  // namespace weft_cli
