#pragma once

#include "small_disk.hpp"
#include "worker_network.hpp"

#include "store/postgres_server.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace fleet_chaos {

/** What a fleet stands on where the process may have it: a disk that can be full, and wires that can be unplugged. */
struct fleet_site {
    /** Much more than a course of some minutes writes. */
    static constexpr std::uint64_t disk_bytes = std::uint64_t{3} << 30;

    small_disk disk{disk_bytes};
    std::array<worker_network, 2> networks{worker_network{0}, worker_network{1}};

    [[nodiscard]] bool has_networks() const noexcept { return networks[0].is_there() && networks[1].is_there(); }
    /** A server that is on its disk, and that its networks reach. */
    [[nodiscard]] weft_tests::postgres_server::options database() const
    {
        weft_tests::postgres_server::options wanted;
        if (has_networks()) wanted.trusted = worker_network::addresses;
        return wanted;
    }
};

}  // namespace fleet_chaos
