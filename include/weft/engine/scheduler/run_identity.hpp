#pragma once

#include <weft/base/system/ids.hpp>

#include <cstdint>

namespace weft {

/** Which run this is, and which part of it: each time a run is resumed, or taken up by another process, a further part
 *  begins. */
struct run_identity {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    run_identity() noexcept {}
    run_identity(run_id id, std::uint32_t part) noexcept : id{id}, part{part} {}

    run_id id;               ///< Nil: the run makes one.
    std::uint32_t part = 1;  ///< From 1.

    /** The id of an event: numbers of later parts are greater. Exact as a number of JSON for two million parts. */
    [[nodiscard]] std::uint64_t event_id(std::uint64_t sequence) const noexcept
    {
        return (std::uint64_t{part} - 1) << 32 | sequence;
    }
};

}  // namespace weft
