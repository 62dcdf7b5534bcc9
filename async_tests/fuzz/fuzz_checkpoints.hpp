#pragma once

#include <weft/engine/checkpoint/checkpoint_reader.hpp>
#include <weft/engine/checkpoint/checkpoint_writer.hpp>
#include <weft/graph/graph_builder.hpp>

#include "engine/checkpoint/first_difference.hpp"
#include "engine/scheduler/scheduler.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

namespace weft_fuzz {

inline constexpr weft::state_key<std::int64_t> last{"last"};

inline void require(bool holds, const char* what)
{
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

inline weft::graph graph_in_node()
{
    weft::graph_builder builder{"in a node"};
    return builder.state(last).node("x", [] {}).node("y", [] {}).edge(weft::start, "x").edge("x", "y").build();
}

/** Where the graph in a node stands after its first node. */
inline std::shared_ptr<const weft::frontier> place_in_node(const weft::graph& of)
{
    weft::scheduler inner{of, weft::frontier{weft::state{of.layout()}}, {}};
    const auto first = inner.next();
    weft::write_set writes;
    writes.push_back({0, false, false, weft::make_box<std::int64_t>(7)});
    inner.node_succeeded(first->branch, std::move(writes), weft::command::next());
    return std::make_shared<const weft::frontier>(inner.restart().to_save());
}

/** The frontiers of a run, each as it is when it has been a checkpoint. */
class checkpoints {
public:
    explicit checkpoints(const weft::graph& of) : of_{of}, writer_{of, weft::hash_key{}} {}

    weft::frontier through(weft::frontier where)
    {
        where.write_trail(of_);
        weft::checkpoint_draft draft = writer_.write(where);
        writer_.written();
        weft::checkpoint written;
        written.body = std::move(draft.body);
        written.links = std::move(draft.links);
        for (weft::blob& one : draft.blobs) {
            const weft::content_hash name = one.hash;
            blobs_.emplace(name, std::move(one));
        }
        weft::frontier read = weft::decode_frontier(written, blobs_, of_);
        const std::string lost = weft::first_difference(where, read, of_);
        require(lost.empty(), lost.c_str());
        return read;
    }

private:
    const weft::graph& of_;
    weft::checkpoint_writer writer_;
    weft::blob_map blobs_;
};

}  // namespace weft_fuzz
