#include "program_texts.hpp"

#include <cstdlib>

namespace weft::tool_detail {

std::vector<char*> pointers_to(std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environment_lines(const std::vector<std::string>& inherited,
                                           const std::map<std::string, std::string>& own)
{
    std::vector<std::string> lines;
    for (const auto& [name, value] : own) lines.push_back(name + "=" + value);
    for (const std::string& name : inherited)
        if (const char* const value = std::getenv(name.c_str()); value && !own.contains(name))
            lines.push_back(name + "=" + value);
    return lines;
}

}  // namespace weft::tool_detail
