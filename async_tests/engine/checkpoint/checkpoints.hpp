#pragma once

#include <weft/engine/checkpoint/checkpoint_reader.hpp>
#include <weft/engine/checkpoint/checkpoint_writer.hpp>

#include "engine/checkpoint/first_difference.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace weft_tests {

/** A thread in memory that is as strict as a store can be: at every commit it forgets each blob that the newest
 *  checkpoint does not lead to, so that a writer which relies on more than that is found out. */
class strict_thread {
public:
    static constexpr weft::hash_key key{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};

    void commit(weft::checkpoint_draft draft)
    {
        bytes_ += draft.body.size() + draft.links.size() * sizeof(weft::content_hash);
        for (weft::blob& given : draft.blobs) {
            if (weft::hash_of(given.bytes, given.links, key) != given.hash) throw std::logic_error{"a wrong hash"};
            ++given_;
            const weft::content_hash hash = given.hash;
            const std::size_t bytes = given.bytes.size() + (given.links.size() + 1) * sizeof(weft::content_hash);
            if (blobs_.emplace(hash, std::move(given)).second) bytes_ += bytes;
        }
        head_ = weft::checkpoint{};
        head_.body = std::move(draft.body);
        head_.links = std::move(draft.links);
        head_.graph = std::move(draft.graph);
        head_.graph_hash = std::move(draft.graph_hash);
        head_.step = draft.step;
        if (!forgets_) return;
        weft::blob_map kept;
        keep(head_.links, kept);
        blobs_ = std::move(kept);
    }
    /** From now on it keeps every blob, which is faster. */
    void forget_nothing() { forgets_ = false; }

    [[nodiscard]] const weft::checkpoint& head() const { return head_; }
    [[nodiscard]] const weft::blob_map& blobs() const { return blobs_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }   ///< Of all that was ever stored, hashes included.
    [[nodiscard]] std::size_t given() const { return given_; }   ///< Blobs that came with drafts.

    [[nodiscard]] weft::frontier read(const weft::graph& of) const
    {
        return weft::decode_frontier(head_, blobs_, of);
    }

private:
    void keep(const std::vector<weft::content_hash>& links, weft::blob_map& kept)
    {
        for (const weft::content_hash& link : links) {
            if (kept.contains(link)) continue;
            const auto found = blobs_.find(link);
            if (found == blobs_.end()) throw std::logic_error{"a checkpoint refers to a blob that is not stored"};
            kept.emplace(link, found->second);
            keep(found->second.links, kept);
        }
    }

    weft::checkpoint head_;
    weft::blob_map blobs_;
    std::size_t bytes_ = 0;
    std::size_t given_ = 0;
    bool forgets_ = true;
};

/** What is read of a frontier that was written; throws if it is another one. */
inline weft::frontier through_a_checkpoint(const weft::frontier& where, const weft::graph& of,
                                           weft::checkpoint_writer& writer, strict_thread& thread)
{
    thread.commit(writer.write(where));
    writer.written();
    weft::frontier read = thread.read(of);
    if (std::string different = weft::first_difference(where, read, of); !different.empty())
        throw std::logic_error{"a checkpoint has lost " + different};
    return read;
}

inline weft::frontier through_a_checkpoint(const weft::frontier& where, const weft::graph& of)
{
    strict_thread thread;
    weft::checkpoint_writer writer{of, strict_thread::key};
    return through_a_checkpoint(where, of, writer, thread);
}

}  // namespace weft_tests
