#include <weft/store/sealed/value_cipher.hpp>

#include <cstdint>

namespace weft {

namespace {

constexpr std::size_t length_bytes = 8;

}  // namespace

sealed_place& sealed_place::part(std::string_view name)
{
    std::uint64_t size = name.size();
    for (std::size_t i = 0; i < length_bytes; ++i, size >>= 8) bytes_ += static_cast<char>(size & 0xff);
    bytes_ += name;
    return *this;
}

std::string sealed_place::text() const
{
    std::string shown;
    std::size_t parts = 0;
    for (std::size_t at = 0; at < bytes_.size();) {
        std::uint64_t size = 0;
        for (std::size_t i = length_bytes; i-- > 0;) size = size << 8 | static_cast<unsigned char>(bytes_[at + i]);
        at += length_bytes;
        if (++parts > 1) shown += parts == 2 ? ' ' : '/';
        for (const char c : bytes_.substr(at, size)) shown += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
        at += size;
    }
    return shown;
}

}  // namespace weft
