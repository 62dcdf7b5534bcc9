#pragma once

#include <weft/base/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace weft {

/** Cuts the output of a program into lines, of which each is to be one message of JSON-RPC. Does no I/O.
 *
 *      lines.feed(bytes);
 *      while (lines.next()) use(lines.line());
 *      if (lines.has_failed()) throw lines.failure(where);
 *
 *  A line ends with LF or CR LF. Empty lines are left out. Lines that lie in one piece of input are views into it.
 *
 *  @par Errors          A line longer than allowed ends the stream: see `has_failed`.
 *  @par Thread safety   As a value.
 *  @par Lifetimes       The bytes given to `feed` stay where they are until `next` has returned false; a line is valid
 *                       until the next call.
 *  @par Source          MCP 2025-11-25, "Transports", stdio.
 */
class json_rpc_lines {
public:
    explicit json_rpc_lines(std::size_t line_bytes_max = 16 * 1024 * 1024) noexcept : line_bytes_max_{line_bytes_max} {}
    json_rpc_lines(const json_rpc_lines&) = delete;
    json_rpc_lines& operator=(const json_rpc_lines&) = delete;

    /** Gives the next piece of output, once all lines of the one before were taken. */
    void feed(std::string_view bytes) noexcept;

    /** Goes to the next complete line. @return False when more input is needed or a line was too long. */
    [[nodiscard]] bool next();

    [[nodiscard]] std::string_view line() const noexcept { return line_; }

    /** Whether a line may be a message: it begins as a JSON object or array does. Everything else that a program
     *  writes, such as a banner, is noise. */
    [[nodiscard]] static bool may_be_message(std::string_view line) noexcept;

    [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }
    /** `errc::response_too_large` naming the limit. Only after `has_failed`. */
    [[nodiscard]] error failure(std::string where) const;

private:
    std::size_t line_bytes_max_;
    std::string_view input_;
    std::string_view line_;
    std::string carry_;  // the beginning of a line whose end has not come yet
    bool carry_is_used_ = false;
    bool has_failed_ = false;
};

}  // namespace weft
