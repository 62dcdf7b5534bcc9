#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

namespace weft {

/** A key, token or password: it cannot be printed by accident, and its memory is overwritten when it goes.
 *
 *  Keep secrets in this type from where they are read to where they are put on the wire; every other text that might
 *  repeat them (a server's error message, for one) goes through `scrub` before anybody sees it.
 *
 *  @par Thread safety   As a value.
 */
class secret_string {
public:
    secret_string() noexcept = default;
    /** Copies `value`; overwriting the caller's own copy is up to the caller. */
    explicit secret_string(std::string_view value);
    secret_string(const secret_string& other) : secret_string{other.reveal()} {}
    secret_string(secret_string&& other) noexcept;
    secret_string& operator=(secret_string other) noexcept;
    ~secret_string() { wipe(); }

    /** Overwrites the secret in place; it is empty afterwards. */
    void wipe() noexcept;

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

    /** The secret itself. Give it to the wire only. */
    [[nodiscard]] std::string_view reveal() const noexcept { return {bytes_.get(), size_}; }

    /** What may be shown: `***` and, of a secret of at least 16 characters, its last four. */
    [[nodiscard]] std::string redacted() const;

    /** `text` with `***` in place of the secret, and of every piece of it of eight or more characters.
     *
     *  Servers like to repeat a part of a wrong key. What they repeat in fewer than eight characters stays.
     */
    [[nodiscard]] std::string scrub(std::string_view text) const;

    /** As `scrub`, with a `*` for each character: nothing else moves. */
    [[nodiscard]] std::string masked(std::string_view text) const;

    friend std::ostream& operator<<(std::ostream&, const secret_string&) = delete;

private:
    std::unique_ptr<char[]> bytes_;
    std::size_t size_ = 0;
};

}  // namespace weft
