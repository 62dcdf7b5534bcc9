#include "sim_faults.hpp"

namespace server_simulation {

namespace {

std::string_view& fault() noexcept
{
    static std::string_view name;
    return name;
}

}  // namespace

bool has_fault(std::string_view name) noexcept { return fault() == name; }

void set_fault(std::string_view name) noexcept { fault() = name; }

}  // namespace server_simulation
