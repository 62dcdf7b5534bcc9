#pragma once

#include <weft/tool/tool_set.hpp>

#include <memory>
#include <string>
#include <vector>

namespace weft_cli {

/** The tools that the words of `--allow` let the models of a run call: `http_fetch`, `files=FOLDER` to read below a
 *  folder, `files-write=FOLDER` to write there too. No words, no tools.
 *
 *  @par Errors   `usage_error`: another word, one that is said twice, a folder that is none. */
[[nodiscard]] std::shared_ptr<const weft::tool_set> allowed_tools(const std::vector<std::string>& words);

/** Tools of these names that a look at a file takes for granted. They cannot be called.
 *  @par Errors   `weft::errc::invalid_configuration` for a name that no tool can have. */
[[nodiscard]] std::shared_ptr<const weft::tool_set> foreign_tools(const std::vector<std::string>& names);

}  // namespace weft_cli
