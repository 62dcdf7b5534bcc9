#pragma once

#include <string>
#include <variant>

namespace weft {

/** Text that is meant to be read. */
struct text_part {
    std::string text{};

    friend bool operator==(const text_part&, const text_part&) = default;
};

/** A picture, by address or by value. */
struct image_part {
    std::string url{};         ///< An https address; empty when `data` holds the picture.
    std::string media_type{};  ///< Of `data`, e.g. `image/png`.
    std::string data{};        ///< The picture in base64.
    std::string detail{};      ///< How closely to look, in the provider's words; empty: its default.

    friend bool operator==(const image_part&, const image_part&) = default;
};

/** What a model thought before it answered. */
struct reasoning_part {
    std::string text{};
    std::string signature{};  ///< Opaque; some providers demand it back with the text.

    friend bool operator==(const reasoning_part&, const reasoning_part&) = default;
};

/** A model's words for why it does not answer. */
struct refusal_part {
    std::string text{};

    friend bool operator==(const refusal_part&, const refusal_part&) = default;
};

/** One piece of a message. */
using content_part = std::variant<text_part, image_part, reasoning_part, refusal_part>;

}  // namespace weft
