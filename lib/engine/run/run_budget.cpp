#include "run_rare_part.hpp"

#include <utility>

namespace weft {

/** Runs that nobody counts have no ledger. */
void run::open_ledger()
{
    const run_options& limits = request_.limits();
    if (!limits.budget() && !limits.draws_on()) return;
    std::string name = "graph '" + std::string{graph_.name()} + "'";
    if (!thread().empty()) name.append(", thread '").append(thread()).append("'");
    const frontier_extras* const past = scheduler_.where().extras.get();
    const spending before = past && past->spent ? *past->spent : spending{};
    rare().ledger = std::make_shared<budget_ledger>(
        std::move(name), limits.budget() ? *limits.budget() : weft::budget{}, limits.draws_on(), before);
}

std::shared_ptr<budget_ledger> run::budget() const noexcept { return rare_ ? rare_->ledger : nullptr; }

void run::note_spent()
{
    if (rare_ && rare_->ledger) scheduler_.restart().note_spent(rare_->ledger->spent());
}

}  // namespace weft
