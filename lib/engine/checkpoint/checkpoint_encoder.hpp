#pragma once

#include "engine/value/blob_sink.hpp"
#include "engine/value/value_encoder.hpp"
#include "frame_encoder.hpp"

#include <weft/engine/checkpoint/checkpoint_writer.hpp>
#include <weft/engine/checkpoint/graph_fingerprint.hpp>

#include <memory>
#include <optional>

namespace weft::checkpoint_detail {

/** What a `checkpoint_writer` is made of. */
class encoder {
public:
    encoder(std::shared_ptr<const graph_table> of, const hash_key& key);
    encoder(const encoder&) = delete;
    encoder& operator=(const encoder&) = delete;

    void know(const frontier& where, const checkpoint& as);
    [[nodiscard]] bool prepare(const frontier& where);
    [[nodiscard]] checkpoint_draft write(const frontier& where);
    void written() noexcept { sink_.written(); }
    [[nodiscard]] bool drop_some() noexcept;

private:
    [[nodiscard]] bool prepare_values(const frontier& where);
    void encode(const frontier& where, checkpoint_draft& into);
    void forget() noexcept;

    std::shared_ptr<const graph_table> table_;
    blob_sink sink_;
    value_encoder values_;
    frame_memory memory_;
    content_hash shape_;
    bool has_shape_ = false;        // the thread, or a draft that is not stored yet
    std::size_t body_size_ = 256;  // of the last one
    std::size_t links_size_ = 0;
};

/** Takes over what a body says of a frame's state, path and inner frames. */
void know_frame(const frontier& where, const graph& of, linked_reader from, value_encoder& values,
                frame_memory& memory);

}  // namespace weft::checkpoint_detail
