#pragma once

#include <weft/net/secret_string.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace weft {

/** The secrets of a sealed store, each with a name of its own.
 *
 *  The newest seals; all of them open what they have sealed. The first one also hides hashes, for as long as the store
 *  lives: it can be followed by others, but not left out.
 *
 *  A secret has 32 random bytes, given as such or as 64 hexadecimal digits (`openssl rand -hex 32`).
 *
 *  @par Errors          `errc::invalid_configuration` for a secret of another length, and for a name that is empty,
 *                       longer than 32 characters, used twice, or not of letters, digits, `-`, `_` and `.`. No message
 *                       repeats a secret.
 */
class sealing_keys {
public:
    struct key {
        std::string id;
        secret_string secret;  ///< 32 bytes.
    };
    static constexpr std::size_t keys_max = 64;

    explicit sealing_keys(secret_string secret, std::string id = "1");

    /** From now on this one seals. */
    sealing_keys& rotate_to(std::string id, secret_string secret);

    /** Reads a file with a key on each line, its name and 64 hexadecimal digits, the oldest first. Empty lines and
     *  those that begin with `#` are left out.
     *
     *  @par Errors   `errc::invalid_configuration`: the file cannot be read, says something else (the line is named),
     *                or others than its owner, who is us or root, may read it. */
    [[nodiscard]] static sealing_keys from_file(const std::string& path);

    /** The oldest first. */
    [[nodiscard]] const std::vector<key>& all() const noexcept { return all_; }

private:
    sealing_keys() noexcept = default;
    std::vector<key> all_;
};

}  // namespace weft
