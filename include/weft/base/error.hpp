#pragma once

#include <weft/base/errc.hpp>

#include <exception>
#include <string>

namespace weft {

/** What weft throws when the world says no: a code, where it happened, and what to do about it.
 *
 *  `what()` reads `where: sentence: detail`, leaving out what is empty. Secrets never appear in it.
 *
 *  @par Thread safety   As a value.
 */
class error : public std::exception {
public:
    /** @param code    What kind of error.
     *  @param where   The node, key, JSON path, host or file concerned; may be empty.
     *  @param detail  What exactly, and what to do; may be empty. */
    explicit error(errc code, std::string where = {}, std::string detail = {});

    [[nodiscard]] errc code() const noexcept { return code_; }
    [[nodiscard]] const std::string& where() const noexcept { return where_; }
    [[nodiscard]] const std::string& detail() const noexcept { return detail_; }
    [[nodiscard]] const char* what() const noexcept override { return what_.c_str(); }

private:
    errc code_;
    std::string where_;
    std::string detail_;
    std::string what_;
};

/** The code of an exception: of a `weft::error` its own, of an aborted Asio operation `cancelled`, else
 *  `node_failed`. */
[[nodiscard]] errc code_of(const std::exception_ptr& cause) noexcept;

/** The text of an exception, whatever its type; "unknown exception" when it is not a `std::exception`. */
[[nodiscard]] std::string text_of(const std::exception_ptr& cause);

/** As `text_of`, and begins with the type of an exception that is no `weft::error`: `std::out_of_range: no such key`.
 *  For what the code of others throws, whose texts say little alone. */
[[nodiscard]] std::string typed_text_of(const std::exception_ptr& cause);

}  // namespace weft
