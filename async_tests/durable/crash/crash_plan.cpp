#include "crash_plan.hpp"

#include <stdexcept>

namespace weft_crash {

std::string slot::text() const
{
    return thread + ':' + std::to_string(write) + (when == moment::before ? ":before" : ":after");
}

slot slot::parse(std::string_view text)
{
    const std::size_t last = text.rfind(':');
    const std::size_t first = last == std::string_view::npos || last == 0 ? last : text.rfind(':', last - 1);
    if (first == std::string_view::npos || first >= last) throw std::runtime_error{"no slot: " + std::string{text}};
    slot found;
    found.thread = std::string{text.substr(0, first)};
    found.write = std::stoull(std::string{text.substr(first + 1, last - first - 1)});
    found.when = text.substr(last + 1) == "after" ? moment::after : moment::before;
    return found;
}

std::vector<std::string> worker_orders::words() const
{
    const std::string manner = is_careless ? "careless" : "careful";
    std::vector<std::string> all{"--worker", store.kind, store.where, store.schema, ledger, graph, manner, any.text()};
    for (const slot& each : slots) all.push_back(each.text());
    return all;
}

worker_orders worker_orders::parse(const std::vector<std::string>& words)
{
    constexpr std::size_t fixed = 8;
    if (words.size() <= fixed) throw std::runtime_error{"a worker needs a store, a ledger and threads"};
    worker_orders orders;
    orders.store = {words[1], words[2], words[3]};
    orders.ledger = words[4];
    orders.graph = words[5];
    orders.is_careless = words[6] == "careless";
    orders.any = slot::parse(words[7]);
    for (std::size_t i = fixed; i < words.size(); ++i) orders.slots.push_back(slot::parse(words[i]));
    return orders;
}

}  // namespace weft_crash
