#include "sqlite_checkpoints.hpp"

#include "sqlite_blob_walk.hpp"
#include "sqlite_events.hpp"
#include "sqlite_journal.hpp"
#include "sqlite_run_row.hpp"
#include "sqlite_threads.hpp"
#include "store/record/limit_checks.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <utility>

namespace weft::sqlite_detail {

namespace {

constexpr std::size_t hash_bytes = sizeof(content_hash::bytes);

// The columns that all statements which read checkpoints begin with, in this order.
void read_info(query& asked, checkpoint_info& info)
{
    info.id = checkpoint_id{asked.id(0)};
    info.sequence = asked.integer(1);
    info.parent = asked.integer(2);
    info.run = run_id{asked.id(3)};
    info.epoch = asked.integer(4);
    info.kind = asked.as<checkpoint_kind>(5);
    info.step = asked.as<std::uint64_t>(6);
    info.node = asked.text(7);
    info.graph = asked.text(8);
    info.graph_hash = asked.text(9);
    info.label = asked.text(10);
    info.at = as_wall_time(asked.integer(11));
    info.bytes = asked.as<std::uint64_t>(12);
    info.copy_of = checkpoint_id{asked.id(13)};
}

/** Writes a checkpoint. @return False if its id is in use. */
bool insert_checkpoint(connection& db, std::int64_t thread, const checkpoint& made)
{
    const std::string links = joined(made.links);
    return query{db,
                 "INSERT INTO checkpoint (thread, sequence, id, parent, run, epoch, kind, step, node, graph, "
                 "graph_hash, label, at, bytes, body, links, copy_of) "
                 "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                 "ON CONFLICT (id) DO NOTHING",
                 thread, made.sequence, raw{made.id}, made.parent, raw{made.run}, made.epoch, made.kind, made.step,
                 made.node, made.graph, made.graph_hash, made.label, stored(made.at), made.bytes, raw{made.body},
                 raw{links}, raw{made.copy_of}}.run() > 0;
}

// With more calls in a transaction blobs are numbered as they come.
constexpr std::size_t few_calls = 16;

/** Gives the blobs of a checkpoint their numbers. */
class blob_writer {
public:
    blob_writer(connection& db, std::int64_t thread) noexcept : db_{db}, thread_{thread} {}

    void insert(const blob& piece)
    {
        std::int64_t& number = next_number();
        const std::string links = joined(piece.links);
        // Only the hash may be there already: a number that is taken is an error, and not a blob that is left out.
        query{db_,
              "INSERT INTO blob (no, thread, hash, links, bytes) VALUES (?, ?, ?, ?, ?) "
              "ON CONFLICT (thread, hash) DO NOTHING",
              number, thread_, raw{piece.hash}, raw{links}, raw{piece.bytes}}.run();
        ++number;
    }

private:
    // What is numbered as it comes is looked for once in a transaction, in which no other connection writes.
    [[nodiscard]] std::int64_t& next_number()
    {
        const bool has_range = thread_ < first_as_it_comes >> bits_in_thread;
        const bool is_side_by_side = has_range && db_.calls_at_once() <= few_calls;
        std::optional<std::int64_t>& next = is_side_by_side ? next_ : db_.next_blob();
        const std::int64_t first = is_side_by_side ? thread_ << bits_in_thread : first_as_it_comes;
        if (!next) next = free_number(first, is_side_by_side ? first + (std::int64_t{1} << bits_in_thread) : INT64_MAX);
        return *next;
    }
    [[nodiscard]] std::int64_t free_number(std::int64_t first, std::int64_t end)
    {
        query asked{db_, "SELECT max(no) FROM blob WHERE no >= ? AND no < ?", first, end};
        return asked.next() && !asked.is_null(0) ? asked.integer(0) + 1 : first;
    }

    connection& db_;
    std::int64_t thread_;
    std::optional<std::int64_t> next_;
};

checkpoint checkpoint_of(const write_fence& fence, const checkpoint_draft& draft)
{
    checkpoint made;
    made.id = draft.id;
    made.sequence = fence.head + 1;
    made.parent = fence.head;
    made.run = fence.run;
    made.epoch = fence.epoch;
    made.kind = draft.kind;
    made.step = draft.step;
    made.node = draft.node;
    made.graph = draft.graph;
    made.graph_hash = draft.graph_hash;
    made.label = draft.label;
    made.at = draft.at;
    made.bytes = bytes_of(draft);
    made.body = draft.body;
    made.links = draft.links;
    return made;
}

bool has_id(connection& db, checkpoint_id id)
{
    return query{db, "SELECT 1 FROM checkpoint WHERE id = ?", raw{id}}.next();
}

// The head is what `commit` compares: it moves in the transaction of the checkpoint.
void move_head(connection& db, std::int64_t thread, std::int64_t head, std::int64_t wall)
{
    query{db, "UPDATE thread SET head = ?, changed = ? WHERE no = ?", head, wall, thread}.run();
}

/** A blob that has to be there. */
blob read_blob(connection& db, std::int64_t thread, const content_hash& hash)
{
    query asked{db, "SELECT links, bytes FROM blob WHERE thread = ? AND hash = ?", thread, raw{hash}};
    if (!asked.next())
        throw error{errc::store_corrupt, db.file(),
                    "blob " + hash.text() + " of thread number " + std::to_string(thread) + " is missing"};
    return blob{hash, asked.text(1), split(db, asked.view(0))};
}

// Fewer blobs are looked up one by one.
constexpr std::size_t many_blobs = 64;
// A walk along the rows ends when it has passed so many for each that is wanted, of this thread or of others.
constexpr std::size_t passed_rows_max = 8;
constexpr std::size_t passed_bytes_max = 4'096;

/** Walks along the rows from that of `first` and gives those of the thread until all that are wanted are among them. */
void walk_along(connection& db, std::int64_t thread, const content_hash& first, hash_set& wanted,
                std::vector<blob>& into)
{
    query place{db, "SELECT no FROM blob WHERE thread = ? AND hash = ?", thread, raw{first}};
    if (!place.next()) return;
    query row{db, "SELECT hash, links, bytes, thread FROM blob WHERE no >= ? ORDER BY no", place.integer(0)};
    const std::size_t all = wanted.size();
    std::size_t passed = 0;
    std::size_t passed_bytes = 0;
    std::size_t of_others = 0;
    while (!wanted.empty() && row.next()) {
        const bool is_of_thread = row.integer(3) == thread;
        if (is_of_thread) into.push_back(blob{row.hash(0), row.text(2), split(db, row.view(1))});
        if (is_of_thread && wanted.erase(into.back().hash) > 0) continue;
        passed_bytes += row.view(2).size();
        of_others += is_of_thread ? 0 : 1;
        if (++passed > passed_rows_max * all || passed_bytes > passed_bytes_max * all || of_others > all) return;
    }
}

std::optional<checkpoint> read_numbered(connection& db, std::int64_t thread, std::int64_t sequence)
{
    query asked{db,
                "SELECT id, sequence, parent, run, epoch, kind, step, node, graph, graph_hash, label, at, bytes, "
                "copy_of, body, links FROM checkpoint WHERE thread = ? AND sequence = ?",
                thread, sequence};
    if (!asked.next()) return std::nullopt;
    checkpoint found;
    read_info(asked, found);
    found.body = asked.text(14);
    found.links = split(db, asked.view(15));
    return found;
}

}  // namespace

std::string joined(const std::vector<content_hash>& hashes)
{
    std::string bytes;
    bytes.reserve(hashes.size() * hash_bytes);
    for (const content_hash& hash : hashes) bytes.append(raw{hash}.bytes);
    return bytes;
}

std::vector<content_hash> split(const connection& db, std::string_view bytes)
{
    // A cut list would name other blobs than those that were linked.
    if (bytes.size() % hash_bytes != 0)
        throw error{errc::store_corrupt, db.file(), "a list of links has " + std::to_string(bytes.size()) + " bytes"};
    std::vector<content_hash> hashes(bytes.size() / hash_bytes);
    for (content_hash& hash : hashes) {
        std::copy_n(bytes.begin(), hash_bytes, hash.bytes.begin());
        bytes.remove_prefix(hash_bytes);
    }
    return hashes;
}

commit_result commit_checkpoint(connection& db, const write_fence& fence, const checkpoint_draft& draft,
                                const moment& at)
{
    const fence_check fenced = check_fence(db, fence, compares::epoch_and_head);
    commit_result result{fenced.state, fenced.thread.head};
    if (fenced.state != write_state::ok) return result;
    // It was written before: this is the repetition of a call whose answer was lost. Nothing else is written.
    if (!insert_checkpoint(db, fenced.thread.no, checkpoint_of(fence, draft))) {
        result.state = write_state::duplicate;
        return result;
    }
    blob_writer blobs{db, fenced.thread.no};
    for (const blob& piece : draft.blobs) blobs.insert(piece);
    for (const std::string& address : draft.settled) settle(db, fenced.thread.no, address);
    if (!draft.events.empty())
        add_events(db, run_by_id(db, fence.run)->no, draft.events, draft.event_limits, at);
    ++result.head;
    move_head(db, fenced.thread.no, result.head, stored(at.today));
    return result;
}

std::optional<checkpoint> read_checkpoint(connection& db, const thread_key& thread,
                                          std::optional<std::int64_t> sequence)
{
    const auto found = find_thread(db, thread);
    if (!found) return std::nullopt;
    return read_numbered(db, found->no, sequence.value_or(found->head));
}

std::optional<std::pair<thread_key, std::int64_t>> find_checkpoint(connection& db, checkpoint_id id)
{
    query asked{db,
                "SELECT t.name, t.tenant, c.sequence FROM checkpoint c JOIN thread t ON t.no = c.thread WHERE c.id = ?",
                raw{id}};
    if (!asked.next()) return std::nullopt;
    return std::pair{thread_key{asked.text(0), asked.text(1)}, asked.integer(2)};
}

std::vector<blob> read_blobs(connection& db, const thread_key& thread, const std::vector<content_hash>& hashes)
{
    const std::int64_t no = thread_number(db, thread);
    std::vector<blob> found;
    found.reserve(hashes.size());
    // Asked for twice, given once, as a set of rows would be.
    hash_set wanted{hashes.begin(), hashes.end()};
    // Items of a list are asked for in their order, which is that in which they were written.
    if (wanted.size() >= many_blobs) walk_along(db, no, hashes.front(), wanted, found);
    for (const content_hash& hash : hashes)
        if (wanted.erase(hash) > 0) found.push_back(read_blob(db, no, hash));
    return found;
}

std::vector<checkpoint_info> read_history(connection& db, const thread_key& thread, const history_page& page)
{
    // One statement for every page: a null filters nothing.
    const std::optional<int> kind =
        page.kind ? std::optional{static_cast<int>(*page.kind)} : std::nullopt;
    query asked{db,
                "SELECT id, sequence, parent, run, epoch, kind, step, node, graph, graph_hash, label, at, bytes, "
                "copy_of FROM checkpoint WHERE thread = ?1 AND sequence < ?2 AND (?3 IS NULL OR kind = ?3) "
                "ORDER BY sequence DESC LIMIT ?4",
                thread_number(db, thread), page.before.value_or(INT64_MAX), kind,
                std::min<std::size_t>(page.count_max, INT64_MAX)};
    std::vector<checkpoint_info> found;
    while (asked.next()) read_info(asked, found.emplace_back());
    return found;
}

bool label_checkpoint(connection& db, const thread_key& thread, std::int64_t sequence, const std::string& name)
{
    return query{db, "UPDATE checkpoint SET label = ? WHERE thread = ? AND sequence = ?", name,
                 thread_number(db, thread), sequence}.run() > 0;
}

bool fork_thread(connection& db, const fork_target& target, const moment& at)
{
    if (target.from.tenant != target.to.tenant)
        throw error{errc::store_refused, "thread '" + target.from.thread + "'", "threads fork within their tenant"};
    const std::int64_t from = thread_number(db, target.from);
    std::optional<checkpoint> copy = read_numbered(db, from, target.sequence);
    if (!copy) return false;
    // A thread that was made without history may become a fork.
    const auto existing = find_thread(db, target.to);
    if ((existing && existing->head > 0) || has_id(db, target.id)) return false;
    const thread_row to = make_thread(db, target.to, stored(at.today));

    copy->copy_of = std::exchange(copy->id, target.id);
    copy->sequence = 1;
    copy->parent = 0;
    copy->run = run_id{};
    copy->epoch = 0;
    copy->kind = checkpoint_kind::edit;
    copy->label.clear();
    copy->at = at.today;
    copy->bytes = copy->body.size();
    // The copy has all of its blobs, so that pruning one thread never touches another.
    blob_writer blobs{db, to.no};
    for (const content_hash& hash : reachable(db, from, copy->links)) {
        const blob piece = read_blob(db, from, hash);
        copy->bytes += piece.bytes.size();
        blobs.insert(piece);
    }
    insert_checkpoint(db, to.no, *copy);
    move_head(db, to.no, 1, stored(at.today));
    query{db, "UPDATE checkpoint SET is_forked = 1 WHERE thread = ? AND sequence = ?", from, target.sequence}.run();
    return true;
}

bool copy_thread(connection& db, fork_target target, const moment& at)
{
    if (target.from.tenant != target.to.tenant)
        throw error{errc::store_refused, "thread '" + target.from.thread + "'",
                    "threads are copied within their tenant"};
    const auto from = find_thread(db, target.from);
    const auto existing = find_thread(db, target.to);
    if (!from || (existing && (existing->no == from->no || existing->head > 0)) || has_id(db, target.id)) return false;
    const thread_row to = make_thread(db, target.to, stored(at.today));
    // The newest one at this moment: the writing connection is the only one that moves heads.
    target.sequence = from->head;
    if (from->head > 0) static_cast<void>(fork_thread(db, target, at));
    query{db,
          "UPDATE thread SET changed = ?1, metadata = (SELECT metadata FROM thread WHERE no = ?2), "
          "state_values = (SELECT state_values FROM thread WHERE no = ?2) WHERE no = ?3",
          stored(at.today), from->no, to.no}.run();
    return true;
}

hash_set reachable(connection& db, std::int64_t thread, const std::vector<content_hash>& links)
{
    hash_set found;
    std::vector<content_hash> left;
    const auto note = [&](const std::vector<content_hash>& hashes) {
        for (const content_hash& hash : hashes)
            if (found.insert(hash).second) left.push_back(hash);
    };
    note(links);
    while (!left.empty()) {
        const content_hash hash = left.back();
        left.pop_back();
        query asked{db, "SELECT links FROM blob WHERE thread = ? AND hash = ?", thread, raw{hash}};
        // What is missing is reported by the caller that reads it.
        if (asked.next()) note(split(db, asked.view(0)));
    }
    return found;
}

}  // namespace weft::sqlite_detail
