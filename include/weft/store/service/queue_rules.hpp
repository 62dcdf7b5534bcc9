#pragma once

#include <weft/async/task.hpp>
#include <weft/store/record/queue_rule.hpp>
#include <weft/store/role/document_store.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** The rules by which the runs of a store are claimed. They stand in a `document_store` and count from the next claim
 *  on, in every process.
 *
 *      queue_rules rules{store->service().documents()};
 *      co_await rules.set_weight("acme", 3);                                  // three runs to the others' one
 *      co_await rules.set_limit(limit_scope::tenant, "", {.active_max = 50}); // of each tenant
 *      co_await rules.set_limit(limit_scope::key, "user", {.active_max = 1}); // of each user
 *      co_await rules.set_retry("research", {.first = 1s, .retries_failures = true});
 *
 *  A rule with an empty name is for each tenant, or graph, that has none of its own.
 *
 *  @par Errors          As `document_store`; `errc::invalid_configuration` for a rule that allows nothing, or a key
 *                       without a name.
 *  @par Thread safety   As `document_store`.
 *  @par Lifetimes       The store outlives it.
 */
class queue_rules {
public:
    explicit queue_rules(document_store& documents) noexcept : documents_{documents} {}

    static constexpr std::uint32_t weight_max = 1'000;

    /** How many runs of a tenant are taken in its turn; 1 unless it is set. Nothing: 1 again. */
    [[nodiscard]] task<void> set_weight(std::string tenant, std::optional<std::uint32_t> weight);
    /** @param name   Of the tenant, graph or key. @param limit  Nothing: there is none. */
    [[nodiscard]] task<void> set_limit(limit_scope of, std::string name, std::optional<queue_limit> limit);
    /** @param graph  Empty: for each. @param rule  Nothing: lost runs are ready at once, failed ones are over. */
    [[nodiscard]] task<void> set_retry(std::string graph, std::optional<retry_rule> rule);

    /** The rule of exactly this name. */
    [[nodiscard]] task<std::optional<std::uint32_t>> weight(std::string tenant);
    [[nodiscard]] task<std::optional<queue_limit>> limit(limit_scope of, std::string name);
    [[nodiscard]] task<std::optional<retry_rule>> retry(std::string graph);

    /** A rule as text: what it is about, whose it is, and a JSON object. */
    struct listed_rule {
        std::string what;  ///< `weight`, `tenant`, `graph`, `key` or `retry`.
        std::string name;
        std::string rule;
    };
    /** All of them, in the order of their making; at most `count_max`. */
    [[nodiscard]] task<std::vector<listed_rule>> list(std::size_t count_max);

private:
    task<void> write_rule(std::string id, std::optional<std::string> body);
    task<std::optional<std::string>> read_rule(std::string id);

    document_store& documents_;
};

}  // namespace weft
