#pragma once

#include <atomic>
#include <cstdint>

namespace boost::asio {
class execution_context;
}

namespace weft {

/** Random numbers, as a service of the execution context: unpredictable in production, repeated by
 *  seed in tests.
 *
 *  The generator is SplitMix64: a 64-bit counter that grows by an odd constant, each value mixed.
 *  Equal seeds give equal sequences on every platform. For jitter, ids and shuffling; never for
 *  keys or other secrets.
 *
 *  @par Thread safety   All operations from any OS thread: drawing is one atomic addition.
 *  @par Source          Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA
 *                       2014, section 5.
 */
class random_source {
public:
    explicit random_source(std::uint64_t seed) noexcept : counter_{seed} {}

    random_source(const random_source&) = delete;
    random_source& operator=(const random_source&) = delete;

    /** The next 64 random bits. */
    [[nodiscard]] std::uint64_t next() noexcept
    {
        return mix(counter_.fetch_add(golden_gamma, std::memory_order_relaxed) + golden_gamma);
    }

    /** Uniform in [0, 1), in steps of 2^-53. */
    [[nodiscard]] double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

    /** Uniform in [0, `bound`), without bias; `bound` is at least 1. */
    [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept;

private:
    static constexpr std::uint64_t golden_gamma = 0x9e37'79b9'7f4a'7c15;

    static constexpr std::uint64_t mix(std::uint64_t z) noexcept
    {
        z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
        z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
        return z ^ (z >> 31);
    }

    std::atomic<std::uint64_t> counter_;
};

/** The random numbers of an execution context: by the installed seed, else by one from
 *  `std::random_device`.
 *
 *  Looking it up takes a lock; keep the reference, which stays valid as long as the context.
 */
[[nodiscard]] random_source& random_of(boost::asio::execution_context& context);

/** Fixes the seed of a context. At most once, and before anything asks for its random numbers. */
void install_random(boost::asio::execution_context& context, std::uint64_t seed);

}  // namespace weft
