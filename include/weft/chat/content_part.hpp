#pragma once

#include <weft/base/memory/copied_ptr.hpp>

#include <string>
#include <string_view>
#include <variant>

namespace weft {

/** Text that is meant to be read. */
struct text_part {
    std::string text{};

    friend bool operator==(const text_part&, const text_part&) = default;
};

/** A picture itself. */
struct image_data {
    std::string media_type{};  ///< E.g. `image/png`.
    std::string base64{};

    friend bool operator==(const image_data&, const image_data&) = default;
};

/** A picture, by address or by value. */
struct image_part {
    std::string url{};              ///< An https address; empty when `data` holds the picture.
    copied_ptr<image_data> data{};  ///< Apart, so that the parts of a message, mostly text, are small.
    std::string detail{};           ///< How closely to look, in the provider's words; empty: its default.

    /** Those of `data`; empty if there is none. */
    [[nodiscard]] std::string_view media_type() const noexcept
    {
        return data ? std::string_view{data->media_type} : std::string_view{};
    }
    [[nodiscard]] std::string_view base64() const noexcept
    {
        return data ? std::string_view{data->base64} : std::string_view{};
    }

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
