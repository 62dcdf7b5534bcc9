#pragma once

#include "model/wire/error_judge.hpp"

namespace weft::model_detail {

/** How Ollama speaks of errors: a text, and at most an address to sign in at. */
extern const error_dialect ollama_dialect;

}  // namespace weft::model_detail
