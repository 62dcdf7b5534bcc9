#pragma once

#include <weft/store/record/content_hash.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace weft {

/** Blobs side by side in one block of memory: what a store that reads many at once hands over. A thousand texts of
 *  their own cost more than what is in them, and most where one OS thread makes them and another one drops them.
 *
 *  @par Thread safety   As a value: it may go to another OS thread.
 *  @par Lifetimes       What it gives is valid until it is added to or dropped, also when it was moved.
 */
class blob_pack {
public:
    blob_pack() noexcept {}
    /** @param bytes   It will have about so many. */
    explicit blob_pack(std::size_t bytes) { block_.reserve(bytes); }

    struct entry {
        content_hash hash;
        std::string_view bytes;
        std::span<const content_hash> links;
    };

    /** @param links   Hashes one behind the other, 16 bytes each.
     *  @return        False if that is no whole number of hashes: then nothing is added. */
    bool add(const content_hash& hash, std::string_view bytes, std::string_view links);

    [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
    [[nodiscard]] bool empty() const noexcept { return places_.empty(); }
    /** Of all its blobs together, with their links. */
    [[nodiscard]] std::size_t bytes() const noexcept { return block_.size(); }
    [[nodiscard]] entry operator[](std::size_t index) const noexcept;

private:
    struct place {
        content_hash hash;
        std::size_t begin;  // of its links, which its bytes follow
        std::size_t links;  // how many
        std::size_t bytes;
    };

    std::vector<char> block_;
    std::vector<place> places_;
};

/** Who gets blobs in packs, as they come.
 *
 *  @par Thread safety   None: it is called on the loop of the task that it was given to.
 */
class blob_receiver {
public:
    virtual void take(blob_pack pack) = 0;

protected:
    ~blob_receiver() = default;
};

}  // namespace weft
