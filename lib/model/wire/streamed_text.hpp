#pragma once

#include <weft/base/errc.hpp>
#include <weft/base/json/utf16_halves.hpp>

#include <cstddef>
#include <string>

namespace weft::model_detail {

/** Thrown while a piece of a reply is taken in; `reply_reader` makes a `model_error` with the partial reply of it. */
struct reply_refused {
    errc code;
    std::string detail;
};

/** Counts bytes up to a limit. */
class byte_budget {
public:
    byte_budget(std::size_t bytes_max, const char* what) noexcept : left_{bytes_max}, max_{bytes_max}, what_{what} {}

    /** @par Errors   `reply_refused` with `errc::response_too_large` when there are not so many left. */
    void take(std::size_t bytes);

private:
    std::size_t left_;
    std::size_t max_;
    const char* what_;
};

/** A text that comes in pieces, some of which may end in the middle of a character. */
struct streamed_text {
    std::string text;
    utf16_joiner seams;
};

}  // namespace weft::model_detail
