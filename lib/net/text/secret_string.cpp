#include <weft/net/secret_string.hpp>

#include <openssl/crypto.h>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t shown_max = 4;
constexpr std::size_t shown_from = 16;  // of a shorter secret, four characters would be too much of it
constexpr std::size_t piece_min = 8;

/** Length of the longest piece of `secret` that stands at the beginning of `text`. */
std::size_t longest_piece(std::string_view secret, std::string_view text, std::size_t length_min)
{
    std::size_t longest = 0;
    const std::string_view begin = text.substr(0, length_min);
    if (begin.size() < length_min) return 0;
    for (std::size_t at = secret.find(begin); at != std::string_view::npos; at = secret.find(begin, at + 1)) {
        const std::string_view piece = secret.substr(at);
        const auto ends = std::mismatch(piece.begin(), piece.end(), text.begin(), text.end());
        longest = std::max(longest, static_cast<std::size_t>(ends.first - piece.begin()));
    }
    return longest;
}

/** `text` with `shown(length)` in place of the pieces of `secret`. */
template <class Shown>
std::string replaced(std::string_view secret, std::string_view text, Shown shown)
{
    const std::size_t length_min = std::min(piece_min, secret.size());
    if (length_min == 0) return std::string{text};
    std::string clean;
    clean.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = longest_piece(secret, text.substr(at), length_min);
        if (length == 0) {
            clean += text[at++];
            continue;
        }
        clean += shown(length);
        at += length;
    }
    return clean;
}

}  // namespace

secret_string::secret_string(std::string_view value)
    : bytes_{value.empty() ? nullptr : std::make_unique<char[]>(value.size())}, size_{value.size()}
{
    std::copy(value.begin(), value.end(), bytes_.get());
}

secret_string::secret_string(secret_string&& other) noexcept
    : bytes_{std::move(other.bytes_)}, size_{std::exchange(other.size_, 0)}
{
}

secret_string& secret_string::operator=(secret_string other) noexcept
{
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    return *this;
}

void secret_string::wipe() noexcept
{
    // A plain memset of memory that is freed next may be optimised away.
    OPENSSL_cleanse(bytes_.get(), size_);
    size_ = 0;
}

std::string secret_string::redacted() const
{
    std::string shown = "***";
    if (size_ >= shown_from) shown.append(reveal().substr(size_ - shown_max));
    return shown;
}

std::string secret_string::scrub(std::string_view text) const
{
    return replaced(reveal(), text, [](std::size_t) { return std::string{"***"}; });
}

std::string secret_string::masked(std::string_view text) const
{
    return replaced(reveal(), text, [](std::size_t length) { return std::string(length, '*'); });
}

}  // namespace weft
