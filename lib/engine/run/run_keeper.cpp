#include <weft/engine/run/run_keeper.hpp>

namespace weft {

std::string_view name_of(durability mode) noexcept
{
    switch (mode) {
    case durability::off: return "off";
    case durability::on_exit: return "on_exit";
    case durability::async_steps: return "async_steps";
    case durability::every_step: return "every_step";
    }
    return "unknown";
}

}  // namespace weft
