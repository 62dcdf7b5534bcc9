#include <weft/store/service/queue_rules.hpp>

#include "store/record/rule_book.hpp"

#include <weft/base/error.hpp>

#include <utility>

namespace weft {

namespace {

document_key rule_key(std::string id) { return {store_detail::rule_kind, "", std::move(id)}; }

[[noreturn]] void refuse_rule(std::string where, std::string why)
{
    throw error{errc::invalid_configuration, std::move(where), std::move(why)};
}

void check_limit(limit_scope of, const std::string& name, const queue_limit& limit)
{
    if (of == limit_scope::key && name.empty())
        refuse_rule("limit of a key", "it has no name: say which of `limit_keys` it counts by");
    const std::string where = "limit of '" + name + "'";
    if (!limit.active_max && !limit.rate) refuse_rule(where, "it limits nothing: set active_max or rate");
    if (limit.active_max == 0u) refuse_rule(where, "active_max is 0, and no run would ever begin: 1 or more");
    if (limit.rate && (limit.rate->count == 0 || limit.rate->burst == 0 || limit.rate->per.count() <= 0))
        refuse_rule(where, "a rate has a count, a span and a burst of 1 or more");
}

}  // namespace

task<void> queue_rules::set_weight(std::string tenant, std::optional<std::uint32_t> weight)
{
    if (weight && (*weight == 0 || *weight > weight_max))
        refuse_rule("weight of tenant '" + tenant + "'", std::to_string(*weight) + ": a weight is 1 to 1,000");
    std::optional<std::string> body;
    if (weight) body = store_detail::text_of_weight(*weight);
    co_await write_rule(store_detail::id_of_weight(tenant), std::move(body));
}

task<void> queue_rules::set_limit(limit_scope of, std::string name, std::optional<queue_limit> limit)
{
    std::optional<std::string> body;
    if (limit) {
        check_limit(of, name, *limit);
        body = store_detail::text_of(*limit);
    }
    co_await write_rule(store_detail::id_of_limit(of, name), std::move(body));
}

task<void> queue_rules::set_retry(std::string graph, std::optional<retry_rule> rule)
{
    std::optional<std::string> body;
    if (rule) {
        if (rule->first.count() < 0 || rule->longest < rule->first)
            refuse_rule("retry of graph '" + graph + "'", "`first` is 0 or more, and `longest` no shorter");
        body = store_detail::text_of(*rule);
    }
    co_await write_rule(store_detail::id_of_retry(graph), std::move(body));
}

task<std::optional<std::uint32_t>> queue_rules::weight(std::string tenant)
{
    const std::optional<std::string> body = co_await read_rule(store_detail::id_of_weight(tenant));
    std::optional<std::uint32_t> found;
    if (body) found = store_detail::weight_in(*body);
    co_return found;
}

task<std::optional<queue_limit>> queue_rules::limit(limit_scope of, std::string name)
{
    const std::optional<std::string> body = co_await read_rule(store_detail::id_of_limit(of, name));
    std::optional<queue_limit> found;
    if (body) found = store_detail::limit_in(*body);
    co_return found;
}

task<std::optional<retry_rule>> queue_rules::retry(std::string graph)
{
    const std::optional<std::string> body = co_await read_rule(store_detail::id_of_retry(graph));
    std::optional<retry_rule> found;
    if (body) found = store_detail::retry_in(*body);
    co_return found;
}

task<std::vector<queue_rules::listed_rule>> queue_rules::list(std::size_t count_max)
{
    document_query query;
    query.kind = store_detail::rule_kind;
    query.order = list_order::oldest_first;
    query.count_max = count_max;
    const document_page page = co_await documents_.search(std::move(query));
    std::vector<listed_rule> found;
    for (const stored_document& each : page.documents) {
        const std::size_t end = each.key.id.find('/');
        if (end == std::string::npos) continue;
        found.push_back({each.key.id.substr(0, end), each.key.id.substr(end + 1), each.body});
    }
    co_return found;
}

task<void> queue_rules::write_rule(std::string id, std::optional<std::string> body)
{
    std::vector<document_change> changes(1);
    changes[0].key = rule_key(std::move(id));
    changes[0].body = std::move(body);
    const bool is_written = co_await documents_.write(std::move(changes));
    static_cast<void>(is_written);  // it expects nothing
}

task<std::optional<std::string>> queue_rules::read_rule(std::string id)
{
    document_key key = rule_key(std::move(id));
    const std::optional<stored_document> found = co_await documents_.read(std::move(key));
    std::optional<std::string> body;
    if (found) body = found->body;
    co_return body;
}

}  // namespace weft
