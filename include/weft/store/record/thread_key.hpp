#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace weft {

/** Names a thread: the runs that share one history. */
class thread_key {
public:
    thread_key() noexcept {}
    /** @param tenant  Whose thread it is; empty where there is one owner. Threads of different tenants never meet. */
    explicit thread_key(std::string thread, std::string tenant = std::string{})
        : tenant{std::move(tenant)}, thread{std::move(thread)}
    {
    }

    std::string tenant;
    std::string thread;

    friend bool operator==(const thread_key&, const thread_key&) = default;
    friend auto operator<=>(const thread_key&, const thread_key&) = default;
};

}  // namespace weft

template <>
struct std::hash<weft::thread_key> {
    std::size_t operator()(const weft::thread_key& key) const noexcept
    {
        return std::hash<std::string>{}(key.thread) * 31 + std::hash<std::string>{}(key.tenant);
    }
};
