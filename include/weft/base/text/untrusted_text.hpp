#pragma once

#include <string>
#include <string_view>

namespace weft {

/** A text from outside as valid UTF-8 without what is invisible: control characters but tabs and line feeds, zero-width
 *  characters, those that change the direction of writing, and tags (U+E0000 to U+E007F). */
[[nodiscard]] std::string visible_text(std::string_view from);

/** A text from outside that a model may read: as `visible_text`, and what models take for marks of their own turns
 *  (`<|im_start|>`, `[INST]`, `<think>` and the like) has a space after its first character, so that it is plain text.
 *
 *  This lowers the risk that the text gives orders; it does not remove it. What a model may do is for code to say.
 *
 *  @par Source   The chat templates of Llama, Mistral, Qwen, Gemma, DeepSeek and gpt-oss. */
[[nodiscard]] std::string neutral_text(std::string_view from);

/** Whether a text can have nothing that `neutral_text` changes: it is ASCII without brackets, as most are. */
[[nodiscard]] bool is_surely_neutral(std::string_view text) noexcept;

}  // namespace weft
