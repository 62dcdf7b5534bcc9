#include "list_rules.hpp"

#include "limit_checks.hpp"

#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>

#include <utility>

namespace weft {

namespace {

void check_filter(const std::string& text)
{
    static_cast<void>(checked_object(text, document_limits::body_bytes_max, "filter"));
}

}  // namespace

thread_phase phase_of_thread(std::optional<run_phase> active, std::optional<run_phase> last_ended) noexcept
{
    if (active) return *active == run_phase::waiting ? thread_phase::waiting : thread_phase::busy;
    const bool has_failed = last_ended == run_phase::failed || last_ended == run_phase::dead;
    return has_failed ? thread_phase::failed : thread_phase::idle;
}

std::string merged_objects(const std::string& first, const std::string& second)
{
    boost::json::object merged = checked_object(first, document_limits::body_bytes_max, "object");
    for (auto& [name, value] : checked_object(second, document_limits::body_bytes_max, "object"))
        merged.insert_or_assign(name, std::move(value));
    return to_json_text(merged);
}

void check_limits(const run_query& query)
{
    check_name_limit(query.tenant.value_or(""), "tenant");
    check_name_limit(query.thread.value_or(""), "thread");
    check_name_limit(query.graph.value_or(""), "graph");
    check_filter(query.contains);
}

void check_limits(const thread_query& query)
{
    check_name_limit(query.tenant.value_or(""), "tenant");
    check_filter(query.metadata_contains);
    check_filter(query.values_contain);
}

void check_limits(const thread_change& change)
{
    if (change.metadata)
        static_cast<void>(checked_object(*change.metadata, document_limits::body_bytes_max, "metadata"));
    if (change.values) static_cast<void>(checked_object(*change.values, document_limits::body_bytes_max, "values"));
}

}  // namespace weft
