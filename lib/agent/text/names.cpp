#include "names.hpp"

#include <algorithm>

namespace weft::agent_detail {

bool contains(const std::vector<std::string>& names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

void add_once(std::vector<std::string>& names, std::string_view name)
{
    if (!contains(names, name)) names.emplace_back(name);
}

boost::json::array array_of(const std::vector<std::string>& names)
{
    boost::json::array all;
    for (const std::string& name : names) all.emplace_back(boost::json::string_view{name});
    return all;
}

}  // namespace weft::agent_detail
