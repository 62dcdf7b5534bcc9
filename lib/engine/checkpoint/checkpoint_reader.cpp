#include <weft/engine/checkpoint/checkpoint_reader.hpp>

#include "blob_gathering.hpp"
#include "frame_decoder.hpp"

#include <weft/async/task/yield_now.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>

namespace weft {

namespace {

using namespace checkpoint_detail;

/** The outermost frame, and the shape of the graph that it is about. */
struct opened_checkpoint {
    linked_reader frame;
    const blob_table::entry* shape;
};

opened_checkpoint open_checkpoint(const checkpoint& from, const value_decoder& blobs)
{
    const linked_reader frame{open_record(from.body, "checkpoint", format_version), "checkpoint", from.links};
    auto graph = frame_sections{frame}.find(frame_section::graph);
    if (!graph) frame.refuse("the graph is missing");
    return {frame, &blobs.blob_at(graph->link())};
}

/** Adds why a checkpoint cannot go on to what has changed. */
std::vector<graph_change> with_problems(std::vector<graph_change> changes, std::vector<graph_change> problems)
{
    for (graph_change& problem : problems) {
        const auto found = std::find_if(changes.begin(), changes.end(), [&](const graph_change& change) {
            return change.what == problem.what && change.name == problem.name;
        });
        if (found != changes.end())
            *found = std::move(problem);
        else
            changes.push_back(std::move(problem));
    }
    return changes;
}

[[noreturn]] void refuse_changed(const graph& of, const std::vector<graph_change>& problems)
{
    std::string text;
    for (const graph_change& problem : problems) text.append(text.empty() ? "" : "; ").append(problem.text());
    throw error{errc::graph_changed, "graph '" + std::string{of.name()} + "'", std::move(text)};
}

/** Reads a checkpoint, or says why it cannot go on with this graph. */
class checkpoint_decoding {
public:
    checkpoint_decoding(const checkpoint& from, const blob_table& blobs, const graph& of, const graph_migrations& by)
        : of_{of}, with_{value_decoder{blobs}, by}, opened_{open_checkpoint(from, with_.values)}
    {
        const bool is_same = opened_.shape->bytes == graph_table{of_}.shape();
        if (!is_same) shape_ = read_shape(opened_.shape->bytes);
        names_ = is_same ? std::make_unique<frame_names>(of_) : std::make_unique<frame_names>(shape_, of_, with_.by);
        foresee_values();
    }
    checkpoint_decoding(const checkpoint_decoding&) = delete;
    checkpoint_decoding& operator=(const checkpoint_decoding&) = delete;

    /** Takes a piece of the work of `read` ahead. @return  True when nothing large is left. */
    [[nodiscard]] bool prepare() { return with_.values.make_some(); }
    [[nodiscard]] std::optional<frontier> read()
    {
        return frame_decoder{of_, *names_, with_, {}}.read(opened_.frame, 0);
    }
    [[nodiscard]] std::vector<graph_change> take_problems() noexcept { return std::move(with_.problems); }
    /** Empty if it is the graph's own. */
    [[nodiscard]] const boost::json::object& old_shape() const noexcept { return shape_; }

private:
    /** The values of the state. */
    void foresee_values()
    {
        auto part = frame_sections{opened_.frame}.find(frame_section::state);
        if (!part) return;
        for (std::size_t left = part->count("the number of values"); left > 0; --left) {
            const std::uint64_t index = part->number();
            value_form form = read_form(*part);
            if (index >= names_->keys().size()) return;  // what is damaged is left to `read`
            const frame_names::key& key = names_->keys()[static_cast<std::size_t>(index)];
            if (key.what != frame_names::key::fate::kept || !key.rules.empty()) continue;
            with_.values.foresee(std::move(form), *(*of_.layout())[key.slot].type->value);
        }
    }

    const graph& of_;
    decoding with_;
    opened_checkpoint opened_;
    boost::json::object shape_;
    std::unique_ptr<frame_names> names_;
};

/** The run stands there, or cannot go on. */
frontier found_frontier(checkpoint_decoding& decoding, const graph& of)
{
    std::optional<frontier> where = decoding.read();
    if (!where) refuse_changed(of, decoding.take_problems());
    return std::move(*where);
}

}  // namespace

frontier decode_frontier(const checkpoint& from, const blob_map& blobs, const graph& of, const graph_migrations& by)
{
    const blob_table table{blobs};
    checkpoint_decoding decoding{from, table, of, by};
    return found_frontier(decoding, of);
}

frontier decode_frontier(const checkpoint& from, const blob_map& blobs, const graph& of)
{
    return decode_frontier(from, blobs, of, graph_migrations::none());
}

namespace {

std::vector<graph_change> compare_with(const checkpoint& from, const blob_table& blobs, const graph& to,
                                       const graph_migrations& by)
{
    checkpoint_decoding decoding{from, blobs, to, by};
    (void)decoding.read();
    std::vector<graph_change> changes;
    if (!decoding.old_shape().empty()) changes = compare_graphs(decoding.old_shape(), to);
    return with_problems(std::move(changes), decoding.take_problems());
}

}  // namespace

std::vector<graph_change> compare_graphs(const checkpoint& from, const blob_map& blobs, const graph& to,
                                         const graph_migrations& by)
{
    return compare_with(from, blob_table{blobs}, to, by);
}

run_id origin_of(const checkpoint& from)
{
    const linked_reader frame{open_record(from.body, "checkpoint", format_version), "checkpoint", from.links};
    const run_id origin = read_origin(frame_sections{frame});
    return origin.is_nil() ? from.run : origin;
}

boost::json::object decode_state(const checkpoint& from, const blob_map& blobs)
{
    return checkpoint_detail::decode_state_from(from, blob_table{blobs});
}

boost::json::object checkpoint_detail::decode_state_from(const checkpoint& from, const blob_table& blobs)
{
    value_decoder values{blobs};
    const opened_checkpoint opened = open_checkpoint(from, values);
    const boost::json::object shape = read_shape(opened.shape->bytes);
    const std::vector<const boost::json::object*> keys = parts_of_shape(shape, "keys");
    boost::json::object result;
    auto state = frame_sections{opened.frame}.find(frame_section::state);
    if (!state) return result;
    for (std::size_t left = state->count("the number of values"); left > 0; --left) {
        const std::uint64_t key = state->number();
        if (key >= keys.size()) state->refuse("a key is beyond those of the graph");
        boost::json::value value;
        if (values.read_json(*state, value))
            result.insert_or_assign(name_in_shape(*keys[static_cast<std::size_t>(key)]), std::move(value));
    }
    return result;
}

task<blob_map> read_blobs_of(checkpoint_store& store, thread_key thread, checkpoint from)
{
    const blob_table found = co_await gather_blobs(store, std::move(thread), std::move(from));
    co_return found.copies();
}

task<frontier> read_frontier(checkpoint_store& store, thread_key thread, checkpoint from, graph of,
                             std::shared_ptr<const graph_migrations> by)
{
    const blob_table blobs = co_await gather_blobs(store, std::move(thread), from);
    co_return co_await read_gathered(blobs, from, of, std::move(by));
}

task<frontier> checkpoint_detail::read_gathered(const blob_table& blobs, const checkpoint& from, const graph& of,
                                                std::shared_ptr<const graph_migrations> by)
{
    checkpoint_decoding decoding{from, blobs, of, by ? *by : graph_migrations::none()};
    while (!decoding.prepare()) co_await yield_now();
    co_return found_frontier(decoding, of);
}

task<frontier> read_frontier(checkpoint_store& store, thread_key thread, checkpoint from, graph of)
{
    return read_frontier(store, std::move(thread), std::move(from), std::move(of), nullptr);
}

task<boost::json::object> read_state(checkpoint_store& store, thread_key thread, checkpoint from)
{
    const blob_table blobs = co_await gather_blobs(store, std::move(thread), from);
    co_return decode_state_from(from, blobs);
}

task<std::vector<graph_change>> read_graph_changes(checkpoint_store& store, thread_key thread, checkpoint from,
                                                   graph to, std::shared_ptr<const graph_migrations> by)
{
    const blob_table blobs = co_await gather_blobs(store, std::move(thread), from);
    co_return compare_with(from, blobs, to, by ? *by : graph_migrations::none());
}

}  // namespace weft
