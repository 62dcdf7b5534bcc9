#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace weft_cli {

/** Which file may be there already. */
enum class overwriting { allowed, refused };

/** Writes a text to a file, or to standard output if the path is `-`.
 *  @return   What went wrong; empty if nothing did. */
[[nodiscard]] std::string write_output(const std::filesystem::path& path, std::string_view text,
                                       overwriting existing = overwriting::allowed);

}  // namespace weft_cli
