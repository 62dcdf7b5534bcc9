#include <weft/base/json/json_write.hpp>

#include <cmath>
#include <string>

namespace weft::json_detail {

double write_real(double from, const json_path& path)
{
    if (!std::isfinite(from))
        refuse_because(path, std::to_string(from) + " is not a finite number");
    return from;
}

void refuse_unnamed(const json_path& path, std::int64_t value)
{
    refuse_because(path, "the enum has no name for " + std::to_string(value));
}

}  // namespace weft::json_detail
