#include "armour.hpp"

#include <weft/base/error.hpp>
#include <weft/base/text/base64.hpp>

#include <optional>
#include <utility>

namespace weft::sealed_detail {

namespace {

[[noreturn]] void refuse_armour(const sealed_place& place)
{
    throw error{errc::store_corrupt, place.text(), "it is not sealed, or was changed"};
}

/** Exactly what `to_base64` writes: there is one text for the same bytes. */
std::string bytes_of_base64(std::string_view text, const sealed_place& place)
{
    std::optional<std::string> bytes = from_base64(text);
    if (text.empty() || !bytes || to_base64(*bytes) != text) refuse_armour(place);
    return std::move(*bytes);
}

}  // namespace

std::string seal_as_text(const value_cipher& cipher, std::string_view text, const sealed_place& place)
{
    return std::string{armour_mark} + to_base64(cipher.seal(text, place));
}

std::string open_text(const value_cipher& cipher, std::string_view sealed, const sealed_place& place)
{
    if (!sealed.starts_with(armour_mark)) refuse_armour(place);
    return cipher.open(bytes_of_base64(sealed.substr(armour_mark.size()), place), place);
}

std::string seal_as_json(const value_cipher& cipher, std::string_view text, const sealed_place& place)
{
    return '"' + seal_as_text(cipher, text, place) + '"';
}

std::string open_json(const value_cipher& cipher, std::string_view sealed, const sealed_place& place)
{
    if (sealed.size() < 2 || sealed.front() != '"' || sealed.back() != '"') refuse_armour(place);
    return open_text(cipher, sealed.substr(1, sealed.size() - 2), place);
}

}  // namespace weft::sealed_detail
