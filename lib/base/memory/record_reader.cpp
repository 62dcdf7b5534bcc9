#include <weft/base/memory/record_reader.hpp>

#include <weft/base/error.hpp>
#include <weft/base/memory/record_writer.hpp>

#include <bit>

namespace weft {

std::uint64_t record_reader::number()
{
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const std::uint64_t next = byte();
        const std::uint64_t bits = next & 0x7f;
        // Ten bytes have 70 bits: of the last one only the lowest may be set.
        if (shift == 63 && bits > 1) break;
        value |= bits << shift;
        if (next < 0x80) return value;
    }
    refuse("a number is too large");
}

std::uint64_t record_reader::number_up_to(std::uint64_t most, std::string_view what)
{
    const std::uint64_t value = number();
    if (value > most)
        refuse(std::string{what} + " is " + std::to_string(value) + ", more than " + std::to_string(most));
    return value;
}

std::size_t record_reader::count(std::string_view what)
{
    const std::uint64_t value = number();
    // Each item takes a byte at least: a wrong count must not make its reader reserve memory for it.
    if (value > left())
        refuse(std::string{what} + " is " + std::to_string(value) + ", and " + std::to_string(left()) +
               " bytes follow");
    return static_cast<std::size_t>(value);
}

std::int64_t record_reader::signed_number()
{
    const std::uint64_t value = number();
    // Zigzag: the sign is the lowest bit, so that small negative numbers are short.
    return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

double record_reader::real()
{
    const std::string_view bytes = raw(sizeof(double));
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bits |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return std::bit_cast<double>(bits);
}

std::string_view record_reader::text() { return raw(number_up_to(left(), "the length of a text")); }

std::string_view record_reader::raw(std::size_t size)
{
    if (size > left()) refuse("it ends too early");
    const std::string_view result = bytes_.substr(at_, size);
    at_ += size;
    return result;
}

std::optional<record_reader::section> record_reader::next_section()
{
    if (is_at_end()) return std::nullopt;
    // The lowest bit says whether a reader that does not know the section may pass it over.
    const std::uint64_t head = number_up_to(std::numeric_limits<std::uint32_t>::max(), "the tag of a section");
    return section{static_cast<std::uint32_t>(head >> 1), (head & 1) != 0, text()};
}

void record_reader::require_end() const
{
    if (!is_at_end()) refuse(std::to_string(left()) + " bytes are left over");
}

void record_reader::refuse(std::string_view why) const
{
    throw error{errc::store_corrupt, std::string{place_} + ", byte " + std::to_string(at_), std::string{why}};
}

std::string_view open_record(std::string_view sealed, std::string_view place, std::uint8_t version_max)
{
    constexpr std::size_t sum_bytes = 4;
    if (sealed.size() <= sum_bytes) record_reader{sealed, place}.refuse("it is too short to be a record");
    const std::string_view content = sealed.substr(0, sealed.size() - sum_bytes);
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < sum_bytes; ++i)
        sum |= std::uint32_t{static_cast<unsigned char>(sealed[content.size() + i])} << (8 * i);
    // The sum before the version: a damaged byte must not be taken for a newer format.
    if (sum != checksum_of(content))
        throw error{errc::store_corrupt, std::string{place}, "its sum is wrong: bytes of it are missing or changed"};
    const auto version = static_cast<std::uint8_t>(content.front());
    if (version == 0 || version > version_max)
        throw error{errc::store_refused, std::string{place},
                    "it is written in version " + std::to_string(version) +
                        " of the format, and this weft reads up to " + std::to_string(version_max) +
                        "; use a newer one"};
    return content.substr(1);
}

}  // namespace weft
