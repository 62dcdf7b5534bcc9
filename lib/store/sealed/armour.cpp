#include "armour.hpp"

#include <weft/base/error.hpp>

#include <openssl/evp.h>

#include <climits>

namespace weft::sealed_detail {

namespace {

std::string base64_of(std::string_view bytes)
{
    if (bytes.size() > INT_MAX / 2) throw error{errc::limit_reached, "sealed text", "it is too long"};
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL ends it with a zero
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

[[noreturn]] void refuse_armour(const sealed_place& place)
{
    throw error{errc::store_corrupt, place.text(), "it is not sealed, or was changed"};
}

/** Exactly what `base64_of` writes: there is one text for the same bytes. */
std::string bytes_of_base64(std::string_view text, const sealed_place& place)
{
    if (text.empty() || text.size() % 4 != 0 || text.size() > INT_MAX) refuse_armour(place);
    std::string bytes(text.size() / 4 * 3, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
    if (size < 0) refuse_armour(place);
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    bytes.resize(static_cast<std::size_t>(size) - padding);
    if (base64_of(bytes) != text) refuse_armour(place);
    return bytes;
}

}  // namespace

std::string seal_as_text(const value_cipher& cipher, std::string_view text, const sealed_place& place)
{
    return std::string{armour_mark} + base64_of(cipher.seal(text, place));
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
