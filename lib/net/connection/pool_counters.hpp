#pragma once

#include <weft/net/options/http_client_counts.hpp>

#include <atomic>

namespace weft::net_detail {

/** `http_client_counts` under way: written on every loop of a client, read from any OS thread. */
struct pool_counters {
    std::atomic<std::uint64_t> opened{0};
    std::atomic<std::uint64_t> resumed{0};
    std::atomic<std::uint64_t> reused{0};
    std::atomic<std::uint64_t> repeated{0};
    std::atomic<std::uint64_t> open{0};
    std::atomic<std::uint64_t> idle{0};

    [[nodiscard]] http_client_counts values() const noexcept
    {
        return {opened.load(std::memory_order_relaxed), resumed.load(std::memory_order_relaxed),
                reused.load(std::memory_order_relaxed), repeated.load(std::memory_order_relaxed),
                open.load(std::memory_order_relaxed),   idle.load(std::memory_order_relaxed)};
    }
};

}  // namespace weft::net_detail
