#pragma once

#include "error_judge.hpp"

namespace weft::model_detail {

/** How OpenAI and the servers that imitate it speak of errors and limits. */
extern const error_dialect openai_dialect;

}  // namespace weft::model_detail
