#pragma once

#include <weft/base/errc.hpp>

#include <string>

namespace weft::model_detail {

/** Thrown while a piece of a reply is taken in; the stream makes a `model_error` with the partial reply of it. */
struct reply_refused {
    errc code;
    std::string detail;
};

}  // namespace weft::model_detail
