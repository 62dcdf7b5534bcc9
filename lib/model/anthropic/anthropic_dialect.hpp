#pragma once

#include "model/wire/error_judge.hpp"

namespace weft::model_detail {

/** How Anthropic speaks of errors and limits. */
extern const error_dialect anthropic_dialect;

}  // namespace weft::model_detail
