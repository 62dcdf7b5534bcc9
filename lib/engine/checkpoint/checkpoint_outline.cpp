#include <weft/engine/checkpoint/checkpoint_outline.hpp>

#include "blob_gathering.hpp"
#include "engine/value/value_decoder.hpp"
#include "frame_names.hpp"
#include "frame_sections.hpp"

#include <weft/base/error.hpp>
#include <weft/engine/checkpoint/checkpoint_reader.hpp>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace weft {

namespace {

using namespace checkpoint_detail;

/** Branches, fan-outs and branches of a frame: a name takes many times its byte in the record. */
constexpr std::size_t outline_parts_max = std::size_t{1} << 18;

/** Blobs are fetched for what is asked of them only: this one is not among them. */
struct blob_is_missing {};

/** Reads the place of a checkpoint, and passes over all values. */
class outline_decoder {
public:
    outline_decoder(const checkpoint& from, const blob_table& blobs, outline_depth parts = outline_depth::place)
        : frame_{open_record(from.body, "checkpoint", format_version), "checkpoint", from.links}, sections_{frame_},
          blobs_{blobs}, parts_{parts}
    {
    }

    [[nodiscard]] const content_hash& shape_link() const
    {
        auto graph = sections_.find(frame_section::graph);
        if (!graph) frame_.refuse("the graph is missing");
        return graph->link();
    }

    /** @par Errors   `blob_is_missing`. */
    [[nodiscard]] checkpoint_outline read()
    {
        shape_ = read_shape(blob_at(shape_link()).bytes);
        for (const boost::json::object* const node : parts_of_shape(shape_, "nodes"))
            nodes_.emplace_back(name_in_shape(*node));
        if (const auto part = sections_.find(frame_section::counts)) read_counts(*part);
        if (const auto part = sections_.find(frame_section::tokens)) read_branches(*part);
        if (const auto part = sections_.find(frame_section::regions)) read_regions(*part, false);
        if (const auto part = sections_.find(frame_section::fan_outs)) read_regions(*part, true);
        std::sort(result_.next_nodes.begin(), result_.next_nodes.end());
        result_.shape = std::move(shape_);  // nodes_ looks at it, and is not needed any more
        return std::move(result_);
    }

private:
    [[nodiscard]] const blob_table::entry& blob_at(const content_hash& hash) const
    {
        const blob_table::entry* const found = blobs_.find(hash);
        if (!found) throw blob_is_missing{};
        return *found;
    }

    [[nodiscard]] std::string node(linked_reader& from) const
    {
        const std::uint64_t code = from.number();
        if (code == 0) return {};
        if (code == 1) return std::string{weft::end};
        if (code - 2 >= nodes_.size()) from.refuse("a node is beyond those of the graph");
        return std::string{nodes_[static_cast<std::size_t>(code - 2)]};
    }

    void read_counts(linked_reader from)
    {
        result_.steps = from.number32("the number of steps");
        result_.retries = from.number32("the number of retries");
        (void)from.byte();
        for (std::size_t left = from.count("the number of nodes"); left > 0; --left) {
            std::string visited = node(from);
            result_.visits.insert_or_assign(std::move(visited), from.number32("a number of visits"));
        }
    }

    static void skip_entries(linked_reader& from)
    {
        for (std::size_t left = from.count("the number of keys"); left > 0; --left) {
            (void)from.number();
            // Values are passed over by their form: the outline needs no types and no blobs of values.
            if (from.number_up_to(entry_is_overwrite, "a flag") != 0) {
                (void)from.number32("the number of updates");
                (void)read_form(from);
            }
            for (std::size_t updates = from.count("the number of updates"); updates > 0; --updates)
                (void)read_form(from);
        }
    }

    void read_branches(linked_reader from)
    {
        for (std::size_t left = count(from, "the number of tokens"); left > 0; --left) read_branch(from);
    }

    void read_branch(linked_reader& from)
    {
        const std::uint64_t flags = from.number_up_to(branch_flags_max, "the flags of a token");
        const std::uint64_t phase = flags & token_phase_mask;
        if (phase == static_cast<std::uint64_t>(branch_phase::free)) return;
        result_.is_unfinished = true;
        std::string at = node(from);
        // A branch that waits for its fan-out starts nothing, and one that is broken off starts when its fan-out is
        // taken up.
        const bool starts = phase != static_cast<std::uint64_t>(branch_phase::forked) &&
                            phase != static_cast<std::uint64_t>(branch_phase::broken_off);
        if (starts) result_.next_nodes.push_back(std::move(at));
        for (int i = 0; i < 4; ++i) (void)from.number();  // visit, attempt, visits in a row and of the branch
        if (flags & token_has_region) {
            (void)from.number();
            (void)from.number();
        }
        if (flags & token_has_fork) (void)from.number();
        if (flags & token_has_input) skip_entries(from);
        if (flags & token_has_own) skip_entries(from);
        if (flags & token_has_previous) (void)from.number();
        if (!(flags & token_has_branches)) return;
        for (std::size_t left = from.count("the number of branches"); left > 0; --left) {
            (void)node(from);
            (void)from.byte();
            (void)from.number();
        }
    }

    /** @param has_lists   Of what is sent to branches and of those that have ended; else each fan-out is whole. */
    void read_regions(linked_reader from, bool has_lists)
    {
        for (std::size_t left = count(from, "the number of fan-outs"); left > 0; --left) read_region(from, has_lists);
    }

    void read_region(linked_reader& from, bool has_lists)
    {
        const std::uint8_t flags = from.byte();
        if (flags == 0) return;
        (void)from.number();                               // its branch
        for (int i = 0; i < 3; ++i) (void)from.number();   // nodes: source, join, arrived
        const std::uint32_t started = from.number32("the number of branches");
        for (int i = 0; i < 4; ++i) (void)from.number();   // running, succeeded, failed, the first failure
        const std::vector<std::string> first = first_nodes(from);
        // Branches that a decided fan-out has not begun never begin.
        if (!(flags & region_is_decided))
            for (std::size_t b = started; b < first.size(); ++b) result_.next_nodes.push_back(first[b]);
        if (has_lists)
            (void)list_tree::read(from);                   // what is sent
        else
            for (std::size_t b = 0; b < first.size(); ++b)
                if (from.byte() & 1) (void)from.number();  // a failure
        const list_tree ended = list_tree::read(from);
        if (parts_ == outline_depth::place_and_state) read_ended(ended, first, has_lists);
        for (std::size_t left = from.count("the number of written keys"); left > 0; --left) {
            (void)from.number();
            (void)from.number();
        }
    }

    void read_ended(const list_tree& ended, const std::vector<std::string>& first, bool has_status)
    {
        ended.for_each(blobs_, [&](std::string_view bytes, std::span<const content_hash> links) {
            linked_reader item{bytes, "checkpoint, ended branch", links};
            const std::uint32_t branch = item.number32("a branch");
            if (branch >= first.size()) item.refuse("a branch is beyond its fan-out");
            const std::uint8_t how = has_status ? item.byte() : ended_has_changes;
            if (how & ended_has_error) (void)item.text();
            if (how & ended_has_changes) result_.finished.push_back({first[branch], read_writes(item)});
        });
    }

    [[nodiscard]] boost::json::object read_writes(linked_reader& from) const
    {
        const std::vector<const boost::json::object*> keys = parts_of_shape(shape_, "keys");
        value_decoder values{blobs_};
        boost::json::object writes;
        for (std::size_t left = from.count("the number of keys"); left > 0; --left) {
            const std::uint64_t key = from.number();
            if (key >= keys.size()) from.refuse("a key is beyond those of the graph");
            boost::json::value written;
            const bool is_overwrite = from.number_up_to(entry_is_overwrite, "a flag") != 0;
            if (is_overwrite) {
                (void)from.number32("the number of updates");
                (void)values.read_json(from, written);
            }
            boost::json::array updates;
            for (std::size_t count = from.count("the number of updates"); count > 0; --count) {
                boost::json::value update;
                if (values.read_json(from, update)) updates.push_back(std::move(update));
            }
            if (!is_overwrite) written = std::move(updates);
            writes.insert_or_assign(name_in_shape(*keys[static_cast<std::size_t>(key)]), std::move(written));
        }
        return writes;
    }

    /** Of each branch of a fan-out. */
    [[nodiscard]] std::vector<std::string> first_nodes(linked_reader& from) const
    {
        const std::uint64_t length = from.number();
        if (length > 0)
            return nodes_in(from.inside(from.raw(static_cast<std::size_t>(length - 1)), "checkpoint, fan-out"));
        const blob_table::entry& part = blob_at(from.link());
        return nodes_in(linked_reader{part.bytes, "checkpoint, fan-out", part.links});
    }

    [[nodiscard]] std::vector<std::string> nodes_in(linked_reader from) const
    {
        std::vector<std::string> first;
        for (std::size_t left = count(from, "the number of branches"); left > 0; --left) first.push_back(node(from));
        return first;
    }

    [[nodiscard]] static std::size_t count(linked_reader& from, std::string_view what)
    {
        return static_cast<std::size_t>(from.number_up_to(std::min(from.left(), outline_parts_max), what));
    }

    linked_reader frame_;
    frame_sections sections_;
    const blob_table& blobs_;
    outline_depth parts_;
    boost::json::object shape_;
    std::vector<std::string_view> nodes_;
    checkpoint_outline result_;
};

std::optional<checkpoint_outline> decode_place(const checkpoint& from, const blob_table& blobs,
                                               outline_depth parts = outline_depth::place)
{
    try {
        return outline_decoder{from, blobs, parts}.read();
    } catch (const blob_is_missing&) {
        return std::nullopt;
    }
}

task<void> fetch_blobs(checkpoint_store& store, thread_key thread, std::vector<content_hash> wanted, blob_table& into)
{
    std::vector<blob> read = co_await store.read_blobs(std::move(thread), std::move(wanted));
    into.add(std::move(read));
}

checkpoint_outline require_place(const checkpoint& from, const blob_table& blobs,
                                 outline_depth parts = outline_depth::place)
{
    std::optional<checkpoint_outline> place = decode_place(from, blobs, parts);
    if (!place) throw error{errc::store_corrupt, "checkpoint", "a blob that it refers to is missing"};
    return std::move(*place);
}

std::optional<boost::json::value> value_of(const boost::json::object& state, const std::string& key)
{
    const boost::json::value* const found = state.if_contains(key);
    return found ? std::optional{*found} : std::nullopt;
}

std::uint32_t visits_of(const checkpoint_outline& of, const std::string& node)
{
    const auto found = of.visits.find(node);
    return found == of.visits.end() ? 0 : found->second;
}

}  // namespace

checkpoint_outline decode_outline(const checkpoint& from, const blob_map& blobs)
{
    checkpoint_outline whole = require_place(from, blob_table{blobs}, outline_depth::place_and_state);
    whole.state = decode_state(from, blobs);
    return whole;
}

task<checkpoint_outline> read_outline(checkpoint_store& store, thread_key thread, checkpoint from, outline_depth parts)
{
    blob_table blobs;
    if (parts == outline_depth::place_and_state) {
        blobs = co_await gather_blobs(store, thread, from);
        checkpoint_outline whole = require_place(from, blobs, parts);
        whole.state = decode_state_from(from, blobs);
        co_return whole;
    }
    std::vector<content_hash> shape{outline_decoder{from, blobs}.shape_link()};
    co_await fetch_blobs(store, thread, std::move(shape), blobs);
    if (std::optional<checkpoint_outline> place = decode_place(from, blobs)) co_return std::move(*place);
    co_await fetch_blobs(store, thread, from.links, blobs);
    co_return require_place(from, blobs);
}

snapshot_difference compare(const checkpoint_outline& before, const checkpoint_outline& after)
{
    snapshot_difference difference;
    std::set<std::string> keys;
    std::set<std::string> nodes;
    for (const checkpoint_outline* const each : {&before, &after}) {
        for (const boost::json::key_value_pair& value : each->state) keys.emplace(value.key());
        for (const auto& [node, visits] : each->visits) nodes.insert(node);
    }
    for (const std::string& key : keys) {
        auto old_value = value_of(before.state, key);
        auto new_value = value_of(after.state, key);
        if (old_value != new_value) difference.keys.push_back({key, std::move(old_value), std::move(new_value)});
    }
    for (const std::string& node : nodes)
        if (const auto from = visits_of(before, node), to = visits_of(after, node); from != to)
            difference.visits.push_back({node, from, to});
    difference.steps = {before.steps, after.steps};
    difference.retries = {before.retries, after.retries};
    difference.next_nodes = {before.next_nodes, after.next_nodes};
    return difference;
}

}  // namespace weft
