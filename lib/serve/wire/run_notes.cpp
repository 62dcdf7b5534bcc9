#include "run_notes.hpp"

#include <string>
#include <vector>

namespace weft::serve_detail {

void run_notes::erase_own(boost::json::object& metadata)
{
    std::vector<std::string> own;  // an erased member moves others
    for (const auto& [name, value] : metadata)
        if (name.starts_with(own_prefix)) own.emplace_back(name);
    for (const std::string& name : own) metadata.erase(name);
}

}  // namespace weft::serve_detail
