#pragma once

#include <weft/store/sealed/value_cipher.hpp>

#include <string>
#include <string_view>

namespace weft::sealed_detail {

/** What a sealed text begins with where stores expect JSON or words. */
inline constexpr std::string_view armour_mark = "weft-sealed:";

/** Seals a text for a place where only characters fit: the mark and base64. */
[[nodiscard]] std::string seal_as_text(const value_cipher& cipher, std::string_view text, const sealed_place& place);
/** @par Errors   As `value_cipher::open`; also when it is not exactly what was written. */
[[nodiscard]] std::string open_text(const value_cipher& cipher, std::string_view sealed, const sealed_place& place);

/** As those, and the sealed text is a JSON string, with its quotes. */
[[nodiscard]] std::string seal_as_json(const value_cipher& cipher, std::string_view text, const sealed_place& place);
[[nodiscard]] std::string open_json(const value_cipher& cipher, std::string_view sealed, const sealed_place& place);

}  // namespace weft::sealed_detail
