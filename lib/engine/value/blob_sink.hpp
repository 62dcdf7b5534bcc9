#pragma once

#include <weft/store/record/checkpoint.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace weft::checkpoint_detail {

/** Names blobs and collects those that the store may not have.
 *
 *  A store forgets blobs that no checkpoint refers to any more. So nothing counts as stored but what the newest
 *  checkpoint refers to; a writer that uses a blob again must know that it was part of the last draft.
 */
class blob_sink {
public:
    explicit blob_sink(const hash_key& key) noexcept : key_{key} {}
    /** One that only names. */
    [[nodiscard]] blob_sink naming_only() const
    {
        blob_sink result{key_};
        result.only_names_ = true;
        return result;
    }

    /** A blob that was not part of the last draft, or of which that is not known. */
    content_hash add(std::string bytes, std::vector<content_hash> links = {});
    /** A blob that is made for every draft: it is given out unless it was part of the last one. */
    content_hash add_again(std::string bytes, std::vector<content_hash> links = {});
    [[nodiscard]] content_hash name_of(std::string_view bytes, const std::vector<content_hash>& links) const noexcept
    {
        return hash_of(bytes, links, key_);
    }
    /** All that has been added since `written`. */
    [[nodiscard]] const std::vector<blob>& pending() const noexcept { return pending_; }
    /** Copies of all that is pending. */
    [[nodiscard]] std::vector<blob> take_copies();
    /** Makes some of them ahead, of about `bytes`, unless there are few. @return  True when all are made. */
    [[nodiscard]] bool copy_some(std::size_t bytes);
    [[nodiscard]] std::size_t pending_bytes() const noexcept { return pending_bytes_; }
    /** A draft is complete. */
    void end_draft();
    void written() noexcept;
    /** Frees what was written, of about `bytes`: a state of megabytes takes milliseconds. @return  True when all is. */
    [[nodiscard]] bool drop_some(std::size_t bytes) noexcept;
    /** Nothing is known any more. */
    void forget() noexcept;

private:
    [[nodiscard]] bool note_name(const content_hash& name);

    hash_key key_;
    bool only_names_ = false;
    std::vector<blob> pending_;
    std::vector<blob> copies_;  // of the first of these
    std::vector<blob> dropped_;  // that were written and are many bytes
    std::size_t pending_bytes_ = 0;
    std::unordered_set<content_hash> pending_names_;  // when there are many
    std::unordered_map<content_hash, std::uint64_t> made_again_;  // in which draft last
    std::uint64_t draft_ = 1;                                     // the last complete one
};

}  // namespace weft::checkpoint_detail
