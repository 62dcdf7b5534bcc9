#pragma once

#include <weft/store/record/content_hash.hpp>

#include <span>
#include <string>
#include <string_view>

namespace weft {

/** Where a sealed text belongs: what it is, whose, and under which name. It opens there and nowhere else. */
class sealed_place {
public:
    /** @param what   What kind of text it is. */
    explicit sealed_place(std::string_view what) { part(what); }

    /** Goes one level down. */
    sealed_place& part(std::string_view name);

    /** All parts, so that different places never read the same; goes into the seal. */
    [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }
    /** For messages: `effect acme/t-1/plan#1/charge#0`. */
    [[nodiscard]] std::string text() const;

private:
    std::string bytes_;
};

/** Makes texts unreadable, and names meaningless, to who has no key.
 *
 *  @par Thread safety   All operations from any OS thread at the same time.
 */
class value_cipher {
public:
    virtual ~value_cipher() = default;

    /** @return   Bytes that tell nothing but about how long the text is, different with each call. */
    [[nodiscard]] virtual std::string seal(std::string_view text, const sealed_place& place) const = 0;

    /** The text that was sealed for this place.
     *  @par Errors   `errc::store_corrupt`; the message names the place: the key is another or unknown, or not every
     *                bit is what it was, or it was sealed for another place. */
    [[nodiscard]] virtual std::string open(std::string_view sealed, const sealed_place& place) const = 0;

    /** Replaces hashes by others, each by one, so that without the key it is unknown from which, and that equal
     *  hashes of two scopes have nothing in common. The same for ever, whatever seals by now. */
    virtual void hide(std::span<content_hash> hashes, std::string_view scope) const = 0;
    /** Takes `hide` back. */
    virtual void reveal(std::span<content_hash> hashes, std::string_view scope) const = 0;

    /** A hash that cannot be found without the key; the same for ever. */
    [[nodiscard]] virtual content_hash name(std::string_view text) const = 0;
};

}  // namespace weft
