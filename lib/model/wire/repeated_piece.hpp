#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace weft::model_detail {

/** Recognises the pieces of a stream that are as the one before but for one text.
 *
 *      if (const auto text = repeated.text_of(piece, type)) return append(*text);
 *
 *  Most pieces of a reply say the same id, model and index around a few new letters. To read one as JSON takes many
 *  times as long as to compare it. */
class repeated_piece {
public:
    /** The text of a piece that equals the remembered one in everything else. It has no escape in it.
     *  @return   Nothing: the piece is to be read. */
    [[nodiscard]] std::optional<std::string_view> text_of(std::string_view piece, std::string_view event_type) noexcept;

    /** Remembers a JSON document that had no effect but this text, which is the value of one of its strings. It stays
     *  unknown if it has escapes, if the text stands in it twice, or if the pieces of this stream never repeat. */
    void remember(std::string_view piece, std::string_view event_type, std::string_view text);

    /** Another piece has come: the next one is compared with nothing. */
    void forget() noexcept { piece_.clear(); }

private:
    std::string piece_;  // empty: none
    std::string event_type_;
    std::size_t head_ = 0;  // the bytes before the text
    std::size_t tail_ = 0;  // the bytes behind it
    unsigned in_vain_ = 0;  // how often it was remembered since a piece equalled it
};

}  // namespace weft::model_detail
