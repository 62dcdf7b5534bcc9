#pragma once

#include "tool/process/unique_fd.hpp"

#include <weft/tool/file_tools.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::tool_detail {

/** What an operation of the jail came to: a text for the model, or why not. */
struct jail_answer {
    std::string text;
    bool is_refused = false;
};

/** The files below one directory.
 *
 *  @par Thread safety   All operations from any OS thread. */
class file_jail {
public:
    /** @par Errors   `errc::invalid_configuration`. */
    file_jail(const std::string& root, const file_tools_options& options);

    [[nodiscard]] jail_answer read(std::string_view path, std::uint64_t offset) const;
    [[nodiscard]] jail_answer list(std::string_view path) const;
    [[nodiscard]] jail_answer write(std::string_view path, std::string_view content);

private:
    /** The directory that the last step stands in; `leaf` is that step, empty for the root itself. */
    [[nodiscard]] unique_fd walk(std::string_view path, std::string& leaf, bool makes, std::string& fault) const;

    unique_fd root_;
    file_tools_options options_;
    std::atomic<std::uint64_t> written_{0};
};

}  // namespace weft::tool_detail
