#pragma once

#include "telling_model.hpp"

#include <weft/engine/durable/durable_graphs.hpp>
#include <weft/engine/run_request.hpp>

#include <memory>
#include <string>

namespace weft_crash {

/** The graph of the sample parallel_research, as it is, with a model that tells: a plan, three researchers at once, and
 *  drafts until no round is left. Each call of the model is noted. */
struct research_at_work {
    std::unique_ptr<telling_model> model;
    std::shared_ptr<const weft::durable_graphs> graphs;
};

[[nodiscard]] research_at_work hire_researchers(std::shared_ptr<const weft_tests::ledger> notes);

/** What the run of a thread researches. */
[[nodiscard]] weft::run_request research_request(const std::string& thread);

}  // namespace weft_crash
