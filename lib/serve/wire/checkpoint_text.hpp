#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** The id of a checkpoint: its number in the thread, from 0000000001. Clients put checkpoints in order by comparing ids
 *  as texts. 0 is the beginning of the thread, before its first input. */
[[nodiscard]] std::string checkpoint_text(std::int64_t sequence);

/** The number of a checkpoint; nothing: the text is the id of none. */
[[nodiscard]] std::optional<std::int64_t> checkpoint_number(std::string_view text) noexcept;

}  // namespace weft::serve_detail
