#include "run_registry.hpp"

#include "graph/graph_file.hpp"
#include "graph/run_input.hpp"
#include "terminal/console.hpp"

#include <weft/agent/agent_kinds.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/model/any_embedding_model.hpp>
#include <weft/model/any_model.hpp>
#include <weft/model/decorator/cached_embedding_model.hpp>
#include <weft/model/decorator/limited_model.hpp>
#include <weft/model/decorator/priced_model.hpp>
#include <weft/model/decorator/retrying_embedding_model.hpp>

#include <boost/describe/enum_to_string.hpp>

#include <utility>
#include <variant>

namespace weft_cli {

std::shared_ptr<weft::chat_model> model_of(const weft::environment_lookup& environment,
                                           std::shared_ptr<const weft::price_table> prices,
                                           std::optional<weft::rate_limiter> limiter)
{
    auto named = weft::read_any_model_environment(environment);
    if (!named) return nullptr;
    weft::priced_model_options pricing;
    pricing.provider = boost::describe::enum_to_string(static_cast<weft::model_provider>(named->index()), "");
    pricing.model = std::visit([](const auto& options) { return options.model; }, *named);
    pricing.prices = std::move(prices);
    weft::limited_model_options limits;
    limits.provider = pricing.provider;
    limits.model = pricing.model;
    auto priced = std::make_shared<weft::priced_model>(weft::make_model(weft::http_client{}, std::move(*named)),
                                                       std::move(pricing));
    if (!limiter) return priced;
    return std::make_shared<weft::limited_model>(std::move(priced), std::move(*limiter), std::move(limits));
}

std::shared_ptr<weft::embedding_model> embeddings_of(const weft::environment_lookup& environment)
{
    auto named = weft::read_embedding_environment(environment);
    if (!named) return nullptr;
    const std::shared_ptr<weft::embedding_model> asked =
        weft::make_embedding_model(weft::http_client{}, std::move(*named));
    return std::make_shared<weft::cached_embedding_model>(std::make_shared<weft::retrying_embedding_model>(asked));
}

std::shared_ptr<const weft::price_table> read_prices(const std::string& file)
{
    if (file.empty()) return nullptr;
    const file_text read = read_file(file);
    if (!read.text) throw usage_error{"--prices " + file + ": " + read.trouble};
    try {
        return std::make_shared<const weft::price_table>(weft::price_table::from(weft::parse_json(*read.text)));
    } catch (const weft::error& e) {
        throw usage_error{"--prices " + file + ": " + e.what()};
    }
}

std::string greeting_of(const run_surroundings& around)
{
    if (around.model) return "Asking " + console::harmless_line(around.model->label()) + ".";
    return "No model is configured: replies are scripted. To ask a model, set WEFT_LLM_URL and WEFT_LLM_MODEL, or "
           "OPENAI_API_KEY.";
}

weft::node_registry make_registry(const run_surroundings& around, const stubbed_functions& stubs,
                                  bool questions_are_kept)
{
    weft::node_registry registry;
    weft::agent_surroundings agents{
        .model = around.model, .knows_prices = around.knows_prices, .tools = around.tools};
    agents.asks_by_interrupt = questions_are_kept;
    agents.documents = around.documents;
    agents.live = around.live;
    agents.http.trusts = around.trusts;
    if (!questions_are_kept) agents.human = around.person.get();
    weft::add_agent_kinds(registry, agents);
    if (around.memory) registry.node_cache(around.memory->cache());
    stubs.add_to(registry);
    return registry;
}

}  // namespace weft_cli
