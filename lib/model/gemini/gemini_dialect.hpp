#pragma once

#include "model/wire/error_judge.hpp"

namespace weft::model_detail {

/** How Google speaks of errors. */
extern const error_dialect gemini_dialect;

}  // namespace weft::model_detail
