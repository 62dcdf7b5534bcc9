#include "limit_checks.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_reading.hpp>

#include <boost/assert.hpp>
#include <boost/json/array.hpp>

#include <algorithm>

namespace weft {

namespace {

void check_size(std::size_t bytes, std::size_t bytes_max, std::string_view what)
{
    if (bytes <= bytes_max) return;
    throw error{errc::limit_reached, std::string{what},
                std::to_string(bytes) + " bytes, and stores take at most " + std::to_string(bytes_max)};
}

void check_count(std::size_t count, std::size_t count_max, std::string_view what)
{
    if (count <= count_max) return;
    throw error{errc::limit_reached, std::string{what},
                std::to_string(count) + ", and stores take at most " + std::to_string(count_max)};
}

// PostgreSQL stores no U+0000 in texts and jsonb: what one store refuses, all refuse.
bool has_zero(std::string_view text) { return text.find('\0') != text.npos; }

bool has_zero(const boost::json::value& value)
{
    const auto in_member = [](const boost::json::key_value_pair& each) {
        return has_zero(std::string_view{each.key()}) || has_zero(each.value());
    };
    const auto in_element = [](const boost::json::value& each) { return has_zero(each); };
    if (value.is_string()) return has_zero(std::string_view{value.get_string()});
    if (value.is_array()) return std::any_of(value.get_array().begin(), value.get_array().end(), in_element);
    if (value.is_object()) return std::any_of(value.get_object().begin(), value.get_object().end(), in_member);
    return false;
}

/** Names of limits and their values stand in JSON, and a bucket is named by both. */
void check_key_text(std::string_view text)
{
    check_name_limit(text, "limit key");
    if (has_zero(text) || text.find('\x1f') != text.npos)
        throw error{errc::store_refused, "limit key",
                    "it has the character U+0000 or U+001F, which stores use themselves"};
}

/** Each change would be judged by the document as it was before all of them. Asserted only. */
[[maybe_unused]] bool names_one_twice(const std::vector<document_change>& changes)
{
    for (auto each = changes.begin(); each != changes.end(); ++each)
        if (std::any_of(changes.begin(), each, [&](const document_change& other) { return other.key == each->key; }))
            return true;
    return false;
}

}  // namespace

void check_name_limit(std::string_view name, std::string_view what)
{
    check_size(name.size(), store_limits::name_bytes_max, what);
}

void check_address_limit(std::string_view address)
{
    check_size(address.size(), store_limits::address_bytes_max, "address");
}

void check_text_limit(std::string_view text, std::string_view what)
{
    check_size(text.size(), store_limits::text_bytes_max, what);
}

void check_limits(const thread_key& thread)
{
    check_name_limit(thread.tenant, "tenant");
    check_name_limit(thread.thread, "thread");
}

void check_limits(const new_run& run)
{
    check_limits(run.thread);
    check_name_limit(run.graph, "graph");
    check_name_limit(run.revision, "revision");
    check_count(run.limit_keys.size(), new_run::limit_keys_max, "limit keys");
    for (const auto& [name, value] : run.limit_keys) {
        check_key_text(name);
        check_key_text(value);
    }
    check_name_limit(run.idempotency_key, "idempotency key");
    check_text_limit(run.input, "input");
    check_address_limit(run.webhook);
    // Most runs have none: the parser is spared.
    if (run.metadata != "{}")
        static_cast<void>(checked_object(run.metadata, document_limits::body_bytes_max, "metadata"));
}

void check_limits(const worker_entry& entry)
{
    check_name_limit(entry.name, "worker");
    check_limits(entry.graphs);
}

void check_limits(const std::vector<graph_ability>& graphs)
{
    check_count(graphs.size(), worker_entry::graphs_max, "graphs of a worker");
    for (const graph_ability& each : graphs) {
        check_name_limit(each.graph, "graph");
        check_name_limit(each.revision, "revision");
    }
}

void check_limits(const run_outcome& outcome)
{
    check_text_limit(outcome.message, "message");
    check_address_limit(outcome.asked_below);
}

void check_limits(const checkpoint_draft& draft)
{
    check_address_limit(draft.node);
    check_name_limit(draft.graph, "graph");
    check_name_limit(draft.graph_hash, "graph hash");
    check_name_limit(draft.label, "label");
    check_text_limit(draft.body, "body");
    // Links count too: they are what a checkpoint of many small blobs consists of.
    std::size_t links = draft.links.size();
    for (const blob& each : draft.blobs) {
        check_text_limit(each.bytes, "blob");
        links += each.links.size() + 1;
    }
    for (const std::string& address : draft.settled) check_address_limit(address);
    check_limits(draft.events);
    check_size(bytes_of(draft) + links * sizeof(content_hash), store_limits::commit_bytes_max, "commit");
}

void check_limits(const effect_record& effect)
{
    check_address_limit(effect.address);
    check_name_limit(effect.key, "idempotency key");
    check_text_limit(effect.body, "effect");
}

void check_limits(const question_record& question)
{
    check_address_limit(question.address);
    check_text_limit(question.question, "question");
}

void check_limits(const std::vector<std::string>& item_space)
{
    if (item_space.size() > item_space_names_max)
        throw error{errc::limit_reached, "namespace",
                    std::to_string(item_space.size()) + " names deep, and stores take at most " +
                        std::to_string(item_space_names_max)};
    for (const std::string& name : item_space) {
        if (name.empty()) throw error{errc::limit_reached, "namespace", "one of its names is empty"};
        check_name_limit(name, "namespace");
    }
}

void check_limits(const item_key& key)
{
    check_limits(key.space);
    check_name_limit(key.name, "item");
}

std::size_t bytes_of(const checkpoint_draft& draft) noexcept
{
    std::size_t bytes = draft.body.size();
    for (const blob& each : draft.blobs) bytes += each.bytes.size();
    return bytes;
}

boost::json::object checked_object(std::string_view text, std::size_t bytes_max, std::string_view what)
{
    check_size(text.size(), bytes_max, what);
    json_reading how;
    how.depth_max = document_limits::depth_max;
    boost::json::value value = parse_json_as(text, how);
    if (!value.is_object())
        throw error{errc::invalid_json, std::string{what},
                    "it is no JSON object: write one, such as {\"team\": \"blue\"}"};
    if (has_zero(value))
        throw error{errc::invalid_json, std::string{what}, "it has the character U+0000, which databases do not store"};
    return std::move(value.get_object());
}

void check_limits(const std::vector<event_draft>& events)
{
    std::size_t bytes = 0;
    for (const event_draft& each : events) {
        check_name_limit(each.kind, "kind of event");
        check_text_limit(each.data, "event");
        bytes += each.kind.size() + each.data.size();
    }
    check_size(bytes, store_limits::commit_bytes_max, "events");
}

void check_limits(const document_key& key)
{
    check_size(key.kind.size(), document_limits::name_bytes_max, "kind of document");
    check_size(key.tenant.size(), document_limits::name_bytes_max, "tenant");
    check_size(key.id.size(), document_limits::name_bytes_max, "id of document");
}

void check_limits(const std::vector<document_change>& changes)
{
    if (changes.size() > document_limits::changes_max)
        throw error{errc::limit_reached, "changes of documents",
                    std::to_string(changes.size()) + ", and stores take at most " +
                        std::to_string(document_limits::changes_max) + " together"};
    BOOST_ASSERT_MSG(!names_one_twice(changes), "a document is changed once in a write");
    for (const document_change& each : changes) {
        check_limits(each.key);
        if (each.body) static_cast<void>(checked_object(*each.body, document_limits::body_bytes_max, "document"));
    }
}

void check_limits(const document_query& query)
{
    check_limits(document_key{query.kind, query.tenant.value_or(""), {}});
    static_cast<void>(checked_object(query.contains, document_limits::body_bytes_max, "filter"));
}

}  // namespace weft
