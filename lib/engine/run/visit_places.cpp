#include "visit_places.hpp"

#include "engine/visit/visit_address.hpp"

#include <algorithm>

namespace weft {

std::string visit_places::next(std::string_view name)
{
    auto found = std::find_if(counts_.begin(), counts_.end(), [&](const auto& entry) { return entry.first == name; });
    if (found == counts_.end()) found = counts_.emplace(counts_.end(), name, 0);
    return place_in_visit(address_, name, found->second++);
}

}  // namespace weft
