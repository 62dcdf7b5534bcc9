#include <weft/base/error.hpp>

#include "limit_checks.hpp"

namespace weft {

namespace {

void check_size(std::size_t bytes, std::size_t bytes_max, std::string_view what)
{
    if (bytes <= bytes_max) return;
    throw error{errc::limit_reached, std::string{what},
                std::to_string(bytes) + " bytes, and stores take at most " + std::to_string(bytes_max)};
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
    check_name_limit(run.idempotency_key, "idempotency key");
    check_text_limit(run.input, "input");
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
    std::size_t links = draft.links.size();
    for (const blob& each : draft.blobs) {
        check_text_limit(each.bytes, "blob");
        links += each.links.size() + 1;
    }
    for (const std::string& address : draft.settled) check_address_limit(address);
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

}  // namespace weft
