#pragma once

#include <weft/store/record/blob_map.hpp>
#include <weft/store/record/blob_pack.hpp>
#include <weft/store/record/content_hash.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace weft::checkpoint_detail {

/** The blobs that a checkpoint is read from, by their hash. They stay where their store has put them: the table looks
 *  at them, and owns what was given to it.
 *
 *  One table of numbers beside the entries, with open addressing: hashes are as good as random.
 */
class blob_table {
public:
    /** Whether a blob is what its hash says. */
    enum class state : unsigned char { unknown, right, wrong };
    struct entry {
        content_hash hash;
        std::string_view bytes;
        std::span<const content_hash> links;
        state is = state::unknown;
        bool is_needed = false;
    };

    blob_table() noexcept {}
    /** Looks at blobs that outlive it, and takes them to be right. */
    explicit blob_table(const blob_map& blobs);
    blob_table(blob_table&&) noexcept = default;
    blob_table& operator=(blob_table&&) noexcept = default;

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
    [[nodiscard]] entry& operator[](std::size_t index) noexcept { return entries_[index]; }
    /** Null: it is not there. Valid until something is added. */
    [[nodiscard]] const entry* find(const content_hash& hash) const noexcept;
    [[nodiscard]] entry* find(const content_hash& hash) noexcept;

    /** New ones come behind all others. What is there already stays, unless it is wrong. */
    void add(blob_pack pack);
    void add(std::vector<blob> blobs);

    /** The needed ones by themselves. */
    [[nodiscard]] blob_map copies() const;

private:
    void put(const content_hash& hash, std::string_view bytes, std::span<const content_hash> links);
    [[nodiscard]] std::size_t slot_of(const content_hash& hash) const noexcept;
    void make_room(std::size_t entries);

    std::vector<entry> entries_;
    std::vector<std::uint32_t> slots_;  // a power of two of them; 0, or the number of an entry from 1
    std::vector<blob_pack> packs_;
    std::vector<std::vector<blob>> blobs_;
};

}  // namespace weft::checkpoint_detail
