#pragma once

#include "rules.hpp"
#include "source_text.hpp"

namespace weft_tidy {

/** Forms of `co_await` that g++ 12 compiles wrongly (docs/COMPILERS.md), found by eye rather than by grammar: quick,
 *  and stricter where only a compiler could tell. scripts/check-coroutines asks clang. */
void check_awaits(const source_text& source, mistakes& found);

}  // namespace weft_tidy
