#pragma once

#include <weft/base/clock.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/store/record/checkpoint.hpp>
#include <weft/store/record/queue_rule.hpp>
#include <weft/store/record/thread_key.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/** The rules of a queue as documents, and what they say of a run: the same in all stores. PostgreSQL reads them in SQL,
 *  in the function `take_in_turn`. */
namespace weft::store_detail {

inline constexpr const char* rule_kind = "queue_rule";

[[nodiscard]] std::string id_of_weight(std::string_view tenant);
[[nodiscard]] std::string id_of_limit(limit_scope of, std::string_view name);
[[nodiscard]] std::string id_of_retry(std::string_view graph);

[[nodiscard]] std::string text_of_weight(std::uint32_t weight);
[[nodiscard]] std::string text_of(const queue_limit& limit);
[[nodiscard]] std::string text_of(const retry_rule& rule);

/** @par Errors  `errc::store_corrupt` for what those above did not write. */
[[nodiscard]] std::uint32_t weight_in(std::string_view body);
[[nodiscard]] queue_limit limit_in(std::string_view body);
[[nodiscard]] retry_rule retry_in(std::string_view body);

/** A limit together with what it counts: "t/acme", "g/research", or a key and its value within a tenant. */
struct bucket_limit {
    limit_scope of = limit_scope::tenant;
    std::string bucket;
    queue_limit limit;
};

/** What the rules say, looked up once in an operation. */
class rule_book {
public:
    /** The body of a rule; nothing if there is none. */
    using look_up = std::function<std::optional<std::string>(const std::string& id)>;

    /** @param look  Null: there are no rules. */
    explicit rule_book(look_up look) : look_{std::move(look)} {}

    [[nodiscard]] std::uint32_t weight(const std::string& tenant);
    /** The limits of a run. A rule of exactly this name comes before that for each. */
    [[nodiscard]] std::vector<bucket_limit> limits_of(const std::string& tenant, const std::string& graph,
                                                      const std::map<std::string, std::string>& keys);
    [[nodiscard]] retry_rule retry(const std::string& graph);

private:
    [[nodiscard]] const std::optional<queue_limit>& limit(limit_scope of, const std::string& name);
    [[nodiscard]] std::optional<queue_limit> limit_or_each(limit_scope of, const std::string& name);

    look_up look_;
    std::map<std::string, std::uint32_t> weights_;
    std::map<std::string, std::optional<queue_limit>> limits_;
};

/** How the runs of a bucket stand against its limit. */
struct bucket_state {
    std::int64_t active = 0;
    wall_time next_even{};  ///< When the next run would begin at an even rate.

    [[nodiscard]] bool has_room(const queue_limit& limit) const noexcept
    {
        return !limit.active_max || active < std::int64_t{*limit.active_max};
    }
    /** When the rate allows the next run. */
    [[nodiscard]] wall_time opens(const rate_rule& rate) const noexcept
    {
        return next_even - rate.interval() * (rate.burst > 0 ? rate.burst - 1 : 0);
    }
    void take(const queue_limit& limit, wall_time now) noexcept
    {
        ++active;
        if (limit.rate) next_even = (next_even > now ? next_even : now) + limit.rate->interval();
    }
};

/** How long the next attempt of a run waits. @param attempt  Which one was lost, from 1. */
[[nodiscard]] std::chrono::milliseconds back_off(const retry_rule& rule, std::uint32_t attempt, run_id run) noexcept;

/** Where a run stands among those of its tenant: microseconds since 1970, with the head start of its priority. */
[[nodiscard]] std::int64_t place_in_queue(wall_time entered, std::int32_t priority) noexcept;

}  // namespace weft::store_detail
