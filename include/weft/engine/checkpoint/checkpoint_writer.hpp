#pragma once

#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/graph.hpp>
#include <weft/store/record/checkpoint.hpp>

#include <memory>

namespace weft {

class graph_table;

namespace checkpoint_detail {
class encoder;
}

/** Makes checkpoints of where a run stands; one for each run, on its loop.
 *
 *  Values are stored once. A checkpoint has small values in its body and refers to others by their hash; what has not
 *  changed since the last one is neither converted nor given again. A `weft::list` is stored as a tree, so that a list
 *  that was appended to costs its new items. Values are told by their identity, not by comparing them.
 *
 *  What `know` and `written` said stays true as long as the newest checkpoint of the thread is the one they were about:
 *  the writer relies on no blob but those that it refers to.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       Shares the graph.
 */
class checkpoint_writer {
public:
    /** @param key   Of the store: `checkpoint_store::key()`. */
    checkpoint_writer(graph of, const hash_key& key);
    /** The same with a table that is shared by the runs of a graph. */
    checkpoint_writer(std::shared_ptr<const graph_table> of, const hash_key& key);
    checkpoint_writer(checkpoint_writer&& other) noexcept;
    checkpoint_writer& operator=(checkpoint_writer&& other) noexcept;
    ~checkpoint_writer();

    /** What the thread has already, after a resume or an earlier run: nothing of it is written again.
     *
     *  @param where   What was read from `as`, or what `as` was made of; its values are those that will be told.
     *  @param as      The newest checkpoint of the thread. One that was written with another graph says nothing.
     *
     *  @par Errors    `errc::store_corrupt`. */
    void know(const frontier& where, const checkpoint& as);

    /** Takes a piece of the work of the next `write` of `where` ahead: large values are made in pieces, and between two
     *  of them other work has its turn.
     *
     *      while (!writer.prepare(where)) co_await yield_now();
     *      checkpoint_draft draft = writer.write(where);
     *
     *  What cannot be made is left to `write`, which says why.
     *  @return   True when nothing large is left; at once if nothing is. */
    [[nodiscard]] bool prepare(const frontier& where);

    /** Everything of the draft but id, kind, node, at, label, settled: body, links, blobs (only those that are not
     *  known to be stored), step, graph, graph_hash.
     *
     *  @par Errors
     *    - `errc::state_conversion`   a value does not convert, or where the run stands needs one that is transient;
     *                                 names the key and the path. Nothing is changed by the attempt.
     *    - `errc::limit_reached`      graphs are nested in nodes too deep, or a value is larger than stores take. */
    [[nodiscard]] checkpoint_draft write(const frontier& where);

    /** The last draft is stored. Before that its blobs are given again with the next. */
    void written();
    /** Frees a piece of what was written. Optional, behind `written`: what is left goes with the next one.
     *
     *      while (!writer.drop_some()) co_await yield_now();
     *
     *  @return  True when nothing is left. */
    [[nodiscard]] bool drop_some() noexcept;

private:
    std::unique_ptr<checkpoint_detail::encoder> encoder_;
};

}  // namespace weft
