#include "name_table.hpp"

#include <weft/graph/edge/edge.hpp>

namespace weft::graph_detail {

name_table::name_table()
{
    add(weft::start);
    add(weft::end);
}

name_number name_table::add(std::string_view name)
{
    // Hashed once, whether it is there or not: each edge of a graph comes here twice.
    const std::uint64_t hash = hash_of_name(name);
    if (const name_number known = index_.find(hash, [&](name_number n) { return names_[n] == name; }); known != none)
        return known;
    const auto added = static_cast<name_number>(names_.size());
    names_.emplace_back(name);
    index_.insert(hash, added);
    return added;
}

name_number name_table::find(std::string_view name) const
{
    return index_.find(hash_of_name(name), [&](name_number n) { return names_[n] == name; });
}

}  // namespace weft::graph_detail
