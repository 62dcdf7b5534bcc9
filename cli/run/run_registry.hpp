#pragma once

#include "run_stubs.hpp"
#include "store/run_memory.hpp"
#include "terminal/terminal_person.hpp"

#include <weft/agent/core/live_surroundings.hpp>
#include <weft/agent/kinds/mcp_servers.hpp>
#include <weft/agent/memory/semantic_items.hpp>
#include <weft/engine/run/route_decider.hpp>
#include <weft/graph/node_registry.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/model/decorator/price_table.hpp>
#include <weft/model/decorator/rate_limiter.hpp>
#include <weft/model/model_environment.hpp>
#include <weft/net/url.hpp>
#include <weft/tool/tool_set.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace weft_cli {

/** Who answers in a run of the program. */
struct run_surroundings {
    std::shared_ptr<weft::chat_model> model = {};           ///< Null: replies are scripted.
    std::shared_ptr<weft::route_decider> decider = {};      ///< Null: the fallbacks of `llm` edges are taken.
    std::shared_ptr<terminal_person> person = {};           ///< Whom nodes ask.
    std::shared_ptr<const weft::tool_set> tools = {};       ///< What models may have done; null: nothing.
    std::shared_ptr<const weft::mcp_servers> servers = {};  ///< Those whose tools are among them; may be null.
    std::shared_ptr<const weft::semantic_items> documents = {};  ///< Searched by meaning; null: no model for it.
    std::function<bool(const weft::url&)> trusts = {};      ///< Services of nodes of the kind `http`; see its options.
    std::shared_ptr<const weft::live_surroundings> live = {};  ///< What clients tell of the surroundings of agents.
    std::shared_ptr<run_memory> memory = {};                ///< What outlives the run; null: nothing.
    bool knows_prices = true;                               ///< Of the model; see `agent_surroundings`.
};

/** The model that the environment names, with its prices; null if it names none.
 *  @param prices   Null: no price is known, and a budget of money refuses every call.
 *  @param limiter  Holds its calls back; nothing: they go as they come.
 *  @par Errors     As `read_any_model_environment` and `make_model`. */
[[nodiscard]] std::shared_ptr<weft::chat_model> model_of(const weft::environment_lookup& environment,
                                                         std::shared_ptr<const weft::price_table> prices = nullptr,
                                                         std::optional<weft::rate_limiter> limiter = std::nullopt);

/** The model of embeddings that the environment names; null if it names none. It asks again after failures that pass,
 *  and once for each text.
 *  @par Errors     As `read_embedding_environment` and `make_embedding_model`. */
[[nodiscard]] std::shared_ptr<weft::embedding_model> embeddings_of(const weft::environment_lookup& environment);

/** A file with a table of prices; null without a name.
 *  @par Errors   `usage_error` if it cannot be read or is none. */
[[nodiscard]] std::shared_ptr<const weft::price_table> read_prices(const std::string& file);

/** Who answers, for people, on one line. */
[[nodiscard]] std::string greeting_of(const run_surroundings& around);

/** What graph files can name in a run of the program: the kinds and types of every registry, nodes that talk, and
 *  stubs.
 *  @param questions_are_kept   Whether nodes that ask a person ask by questions of the run, instead of `person`. */
[[nodiscard]] weft::node_registry make_registry(const run_surroundings& around, const stubbed_functions& stubs,
                                                bool questions_are_kept = false);

}  // namespace weft_cli
