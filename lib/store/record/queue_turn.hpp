#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::store_detail {

/** Whose turn it is: tenants in the order of their names, each with as many runs as its weight. It belongs to a store
 *  object: several processes on one database each go round by themselves, so that no row has to count for all. */
struct queue_turn {
    std::string tenant;
    std::uint32_t left = 0;  ///< How many of its runs may still follow.
};

/** Takes up to `max` runs, tenant by tenant.
 *
 *  @param source  `optional<string> tenant_behind(const string*)` gives the next tenant with ready runs, of null the
 *                 first one; `optional<run> take(const string& tenant)` takes its next run that nothing holds back;
 *                 `weight(tenant)` is at least 1.
 *  @par Source    Weighted round robin; Katevenis et al., IEEE JSAC 9 (8), 1991. */
template <class Source>
[[nodiscard]] std::vector<typename Source::run> take_in_turn(Source& source, queue_turn& turn, std::size_t max)
{
    std::vector<typename Source::run> taken;
    queue_turn at = turn;
    std::optional<std::string> idle_since;  // the tenant with which a round without a run began
    bool is_new_turn = false;
    while (taken.size() < max) {
        if (at.left == 0) {
            std::optional<std::string> next = source.tenant_behind(&at.tenant);
            if (!next) next = source.tenant_behind(nullptr);
            if (!next || next == idle_since) break;
            at.tenant = std::move(*next);
            at.left = source.weight(at.tenant);
            is_new_turn = true;
        }
        if (std::optional<typename Source::run> run = source.take(at.tenant)) {
            taken.push_back(std::move(*run));
            --at.left;
            // A tenant that got nothing has not had its turn.
            turn = at;
            idle_since.reset();
            is_new_turn = false;
            continue;
        }
        // Only a tenant that still stands in the ring is met again: this one has ready runs, all of them held back.
        if (is_new_turn && !idle_since) idle_since = at.tenant;
        at.left = 0;
    }
    return taken;
}

}  // namespace weft::store_detail
