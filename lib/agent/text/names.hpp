#pragma once

#include <boost/json/array.hpp>

#include <string>
#include <string_view>
#include <vector>

/** Lists of names: of keys, nodes, tools. */
namespace weft::agent_detail {

[[nodiscard]] bool contains(const std::vector<std::string>& names, std::string_view name);
/** Adds a name unless it is there. */
void add_once(std::vector<std::string>& names, std::string_view name);
[[nodiscard]] boost::json::array array_of(const std::vector<std::string>& names);

}  // namespace weft::agent_detail
