#include "rule_book.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>

#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

namespace weft::store_detail {

namespace {

// No tenant or key has this character in it that people type; it keeps "a" + "b/c" apart from "a/b" + "c".
constexpr char between = '\x1f';

std::string_view name_of_scope(limit_scope of) noexcept
{
    switch (of) {
    case limit_scope::tenant: return "tenant";
    case limit_scope::graph: return "graph";
    case limit_scope::key: break;
    }
    return "key";
}

boost::json::object rule_in(std::string_view body)
{
    boost::json::value value = parse_json(body);
    if (!value.is_object()) throw error{errc::store_corrupt, "a rule of the queue", "it is no JSON object"};
    return std::move(value.get_object());
}

std::optional<std::int64_t> number_in(const boost::json::object& rule, std::string_view name)
{
    const boost::json::value* found = rule.if_contains(name);
    if (!found) return std::nullopt;
    boost::system::error_code failure;
    const auto number = found->to_number<std::int64_t>(failure);
    if (failure || number < 0)
        throw error{errc::store_corrupt, "a rule of the queue, $." + std::string{name},
                    "it is no number of 0 or more: set the rule again"};
    return number;
}

std::optional<std::uint32_t> small_number_in(const boost::json::object& rule, std::string_view name)
{
    const std::optional<std::int64_t> number = number_in(rule, name);
    if (!number) return std::nullopt;
    return static_cast<std::uint32_t>(std::min<std::int64_t>(*number, UINT32_MAX));
}

std::string rule_id(std::string_view what, std::string_view name)
{
    return std::string{what} + '/' + std::string{name};
}

}  // namespace

std::string id_of_weight(std::string_view tenant) { return rule_id("weight", tenant); }

std::string id_of_limit(limit_scope of, std::string_view name) { return rule_id(name_of_scope(of), name); }

std::string id_of_retry(std::string_view graph) { return rule_id("retry", graph); }

std::string text_of_weight(std::uint32_t weight)
{
    boost::json::object rule;
    rule["weight"] = weight;
    return to_json_text(rule);
}

std::string text_of(const queue_limit& limit)
{
    boost::json::object rule;
    if (limit.active_max) rule["active_max"] = *limit.active_max;
    if (limit.rate) {
        rule["count"] = limit.rate->count;
        rule["per_ms"] = limit.rate->per.count();
        rule["burst"] = limit.rate->burst;
    }
    return to_json_text(rule);
}

std::string text_of(const retry_rule& rule)
{
    boost::json::object body;
    body["first_ms"] = rule.first.count();
    body["longest_ms"] = rule.longest.count();
    body["retries_failures"] = rule.retries_failures;
    return to_json_text(body);
}

std::uint32_t weight_in(std::string_view body)
{
    return std::max<std::uint32_t>(small_number_in(rule_in(body), "weight").value_or(1), 1);
}

queue_limit limit_in(std::string_view body)
{
    const boost::json::object rule = rule_in(body);
    queue_limit limit;
    limit.active_max = small_number_in(rule, "active_max");
    const std::optional<std::uint32_t> count = small_number_in(rule, "count");
    if (!count) return limit;
    limit.rate.emplace();
    limit.rate->count = std::max<std::uint32_t>(*count, 1);
    limit.rate->per = std::chrono::milliseconds{number_in(rule, "per_ms").value_or(1'000)};
    limit.rate->burst = std::max<std::uint32_t>(small_number_in(rule, "burst").value_or(1), 1);
    return limit;
}

retry_rule retry_in(std::string_view body)
{
    const boost::json::object found = rule_in(body);
    retry_rule rule;
    rule.first = std::chrono::milliseconds{number_in(found, "first_ms").value_or(0)};
    if (const auto longest = number_in(found, "longest_ms")) rule.longest = std::chrono::milliseconds{*longest};
    const boost::json::value* retries = found.if_contains("retries_failures");
    rule.retries_failures = retries && retries->is_bool() && retries->get_bool();
    return rule;
}

std::uint32_t rule_book::weight(const std::string& tenant)
{
    if (!look_) return 1;
    const auto [found, is_new] = weights_.try_emplace(tenant, 1);
    if (!is_new) return found->second;
    std::optional<std::string> body = look_(id_of_weight(tenant));
    if (!body) body = look_(id_of_weight(""));
    if (body) found->second = weight_in(*body);
    return found->second;
}

const std::optional<queue_limit>& rule_book::limit(limit_scope of, const std::string& name)
{
    const std::string id = id_of_limit(of, name);
    const auto [found, is_new] = limits_.try_emplace(id);
    if (!is_new) return found->second;
    const std::optional<std::string> body = look_(id);
    if (body) found->second = limit_in(*body);
    return found->second;
}

std::optional<queue_limit> rule_book::limit_or_each(limit_scope of, const std::string& name)
{
    const std::optional<queue_limit>& own = limit(of, name);
    return own ? own : limit(of, "");
}

std::vector<bucket_limit> rule_book::limits_of(const std::string& tenant, const std::string& graph,
                                               const std::map<std::string, std::string>& keys)
{
    std::vector<bucket_limit> found;
    if (!look_) return found;
    if (const auto of_tenant = limit_or_each(limit_scope::tenant, tenant))
        found.push_back({limit_scope::tenant, "t/" + tenant, *of_tenant});
    if (const auto of_graph = limit_or_each(limit_scope::graph, graph))
        found.push_back({limit_scope::graph, "g/" + graph, *of_graph});
    for (const auto& [name, value] : keys)
        if (const auto& of_key = limit(limit_scope::key, name))
            found.push_back({limit_scope::key, "k/" + tenant + between + name + between + value, *of_key});
    return found;
}

retry_rule rule_book::retry(const std::string& graph)
{
    if (!look_) return {};
    std::optional<std::string> body = look_(id_of_retry(graph));
    if (!body) body = look_(id_of_retry(""));
    return body ? retry_in(*body) : retry_rule{};
}

// The ids of runs are random, or come from the seed of a simulation; so is what is made of them.
std::chrono::milliseconds back_off(const retry_rule& rule, std::uint32_t attempt, run_id run) noexcept
{
    std::int64_t span = rule.first.count();
    for (std::uint32_t i = 1; i < attempt && span < rule.longest.count(); ++i) span *= 2;
    span = std::min<std::int64_t>(span, std::max<std::int64_t>(rule.longest.count(), 0));
    if (span <= 1) return std::chrono::milliseconds{std::max<std::int64_t>(span, 0)};
    const std::uint64_t dice = std::hash<run_id>{}(run) * 0x9e37'79b9'7f4a'7c15u + attempt * 0xbf58'476d'1ce4'e5b9u;
    return std::chrono::milliseconds{span - static_cast<std::int64_t>((dice >> 33) % static_cast<std::uint64_t>(
                                                                                         span / 2 + 1))};
}

std::int64_t place_in_queue(wall_time entered, std::int32_t priority) noexcept
{
    using std::chrono::microseconds;
    const auto since = std::chrono::floor<microseconds>(entered.time_since_epoch());
    return (since - microseconds{priority_head_start} * std::int64_t{priority}).count();
}

}  // namespace weft::store_detail
