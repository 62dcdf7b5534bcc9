#pragma once

#include "tool/process/unique_fd.hpp"

#include <weft/tool/shell_tool.hpp>

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::tool_detail {

/** The first and the last bytes of an output. */
class spilled_output {
public:
    explicit spilled_output(std::size_t bytes_max) noexcept : half_{bytes_max / 2} {}
    void add(std::string_view bytes);
    [[nodiscard]] std::string text() const;

private:
    std::size_t half_;
    std::string head_;
    std::string tail_;
    std::uint64_t dropped_ = 0;
};

/** A program in a process group of its own. Its end kills the group, whatever state it is in.
 *
 *  @par Thread safety   None. */
class child_process {
public:
    /** @param words   The program, as a path, and its arguments.
     *  @par Errors    `errc::invalid_configuration`: it cannot be started, and why. */
    child_process(const std::vector<std::string>& words, const shell_tool_options& options);
    ~child_process();
    child_process(const child_process&) = delete;
    child_process& operator=(const child_process&) = delete;

    /** Readable when the program has ended. */
    [[nodiscard]] int end_fd() const noexcept { return end_.get(); }
    /** Both streams; reading does not block. */
    [[nodiscard]] int output_fd() const noexcept { return output_.get(); }

    void kill_group() noexcept;
    /** Waits for the program, which must have ended or been killed. @return `exit status 3`, `killed by signal 9`. */
    std::string reap();
    [[nodiscard]] bool has_succeeded() const noexcept { return status_ && *status_ == 0; }

private:
    void start(const std::vector<std::string>& words, const shell_tool_options& options);

    pid_t pid_ = -1;
    unique_fd output_;
    unique_fd end_;
    std::optional<int> status_;
    bool is_reaped_ = false;
};

/** Where a program is, by the `PATH` of an environment; empty if it is nowhere. */
[[nodiscard]] std::string find_program(const std::string& name, const std::map<std::string, std::string>& environment);

}  // namespace weft::tool_detail
