#include "checkpoint_encoder.hpp"

#include <weft/base/error.hpp>
#include <weft/store/checkpoint_store.hpp>

#include <string>
#include <utility>

namespace weft::checkpoint_detail {

namespace {

/** Bytes of values that are made before the loop has its turn. */
constexpr std::size_t slice_bytes = 64u << 10;

}  // namespace

encoder::encoder(std::shared_ptr<const graph_table> of, const hash_key& key)
    : table_{std::move(of)}, sink_{key}, values_{sink_}, shape_{sink_.name_of(table_->shape(), {})}
{
}

void encoder::forget() noexcept
{
    sink_.forget();
    values_.forget();
    memory_ = frame_memory{};
    has_shape_ = false;
}

bool encoder::prepare(const frontier& where)
{
    return prepare_values(where) && sink_.copy_some(slice_bytes);
}

bool encoder::drop_some() noexcept { return sink_.drop_some(4 * slice_bytes); }

/** The values of the state; what branches have of their own goes without it. */
bool encoder::prepare_values(const frontier& where)
{
    const state& values = where.root->root();
    const state_layout& layout = values.layout();
    for (std::uint32_t slot = 0; slot < layout.size(); ++slot) {
        const value_ptr& value = values.at(slot);
        if (value && !layout[slot].type->is_transient && !values_.prepare(value, slice_bytes)) return false;
    }
    if (!where.extras) return true;
    for (const auto& [branch, inside] : where.extras->inner)
        if (!prepare_values(*inside)) return false;
    return true;
}

checkpoint_draft encoder::write(const frontier& where)
{
    checkpoint_draft draft;
    try {
        // After saves that failed their blobs are still pending.
        const bool has_unstored = !sink_.pending().empty();
        encode(where, draft);
        if (has_unstored && sink_.pending_bytes() > store_limits::commit_bytes_max) {
            forget();  // of what was never stored, most is not referred to any more
            draft = {};
            encode(where, draft);
        }
    } catch (...) {
        forget();  // what was taken down half-way is taken down again from the start
        throw;
    }
    return draft;
}

void encoder::encode(const frontier& where, checkpoint_draft& into)
{
    linked_writer to;
    // Checkpoints of a run are alike: one allocation, and room to grow.
    to.reserve(body_size_ + body_size_ / 4);
    to.reserve_links(links_size_ + links_size_ / 4);
    const record_writer::section graph = to.begin(static_cast<std::uint32_t>(frame_section::graph));
    if (!has_shape_) sink_.add(table_->shape());
    has_shape_ = true;
    to.link(shape_);
    to.end(graph);
    encoding with{values_, sink_, to};
    frame_encoder{table_->graph(), where, with, memory_, {}}.write(0);
    values_.end_draft();
    sink_.end_draft();
    body_size_ = to.size();
    links_size_ = to.links().size();
    // Said here, where it can be said what to do, and not by the store.
    if (body_size_ > store_limits::text_bytes_max)
        throw error{errc::limit_reached, "checkpoint",
                    "where the run stands takes " + std::to_string(body_size_) + " bytes, and stores take " +
                        std::to_string(store_limits::text_bytes_max) + ": open fewer branches at once"};
    into.step = where.steps;
    into.graph = table_->graph().name();
    into.graph_hash = table_->fingerprint();
    into.body = seal_record(to.bytes(), format_version);
    into.links = to.take_links();
    into.blobs = sink_.take_copies();
}

void encoder::know(const frontier& where, const checkpoint& as)
{
    forget();
    linked_reader from{open_record(as.body, "checkpoint", format_version), "checkpoint", as.links};
    const auto first = from.next_section();
    if (!first || first->tag != static_cast<std::uint32_t>(frame_section::graph))
        from.refuse("the graph is missing");
    if (from.inside(first->bytes, "checkpoint, graph").link() != shape_) return;  // other nodes, other numbers
    has_shape_ = true;
    know_frame(where, table_->graph(), from, values_, memory_);
}

}  // namespace weft::checkpoint_detail
