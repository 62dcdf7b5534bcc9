#pragma once

#include <map>
#include <string>
#include <vector>

/** What a new process is given, as the system wants it. */
namespace weft::tool_detail {

/** Texts as `exec` and `posix_spawn` want them, with a null at the end; the texts must outlive it. */
[[nodiscard]] std::vector<char*> pointers_to(std::vector<std::string>& texts);

/** `NAME=value` for each variable.
 *  @param inherited   Names of variables that come from our own environment, if they are there.
 *  @param own         Variables that are set; they count over those that are inherited. */
[[nodiscard]] std::vector<std::string> environment_lines(const std::vector<std::string>& inherited,
                                                         const std::map<std::string, std::string>& own);

}  // namespace weft::tool_detail
