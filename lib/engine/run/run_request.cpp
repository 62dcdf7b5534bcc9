#include <weft/engine/run_request.hpp>

namespace weft {

const run_request::data& run_request::defaults() noexcept
{
    static const data unchanged;
    return unchanged;
}

}  // namespace weft
