#include "repeated_piece.hpp"

#include <weft/base/utf8.hpp>

#include <algorithm>

namespace weft::model_detail {

namespace {

// Servers that pad each piece with random letters, or count them, never send the same one again.
constexpr unsigned in_vain_max = 16;

/** Whether a text may stand between quotes as it is. */
bool is_unescaped(std::string_view text) noexcept
{
    const auto needs_escape = [](unsigned char c) { return c < 0x20 || c == '"' || c == '\\'; };
    return std::none_of(text.begin(), text.end(), needs_escape) && is_valid_utf8(text);
}

}  // namespace

std::optional<std::string_view> repeated_piece::text_of(std::string_view piece, std::string_view event_type) noexcept
{
    const std::string_view known = piece_;
    if (known.empty() || piece.size() < head_ + tail_ || event_type != event_type_) return std::nullopt;
    const std::string_view text = piece.substr(head_, piece.size() - head_ - tail_);
    const bool is_same =
        piece.starts_with(known.substr(0, head_)) && piece.ends_with(known.substr(known.size() - tail_));
    if (!is_same || !is_unescaped(text)) return std::nullopt;
    in_vain_ = 0;
    return text;
}

void repeated_piece::remember(std::string_view piece, std::string_view event_type, std::string_view text)
{
    if (in_vain_ >= in_vain_max || piece.find('\\') != std::string_view::npos) return;
    std::string quoted;
    quoted.append(1, '"').append(text).append(1, '"');
    const std::size_t at = piece.find(quoted);
    if (at == std::string_view::npos || piece.find(quoted, at + 1) != std::string_view::npos) return;
    ++in_vain_;
    piece_ = piece;
    event_type_ = event_type;
    head_ = at + 1;
    tail_ = piece.size() - head_ - text.size();
}

}  // namespace weft::model_detail
