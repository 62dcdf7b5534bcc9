#pragma once

#include <weft/agent/conversation/conversation_entry.hpp>
#include <weft/base/list.hpp>
#include <weft/base/units.hpp>
#include <weft/graph/state_key.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** Where an entry of a lane has no earlier one. */
inline constexpr std::uint32_t no_entry = std::numeric_limits<std::uint32_t>::max();

/** What is said in a run, by whom and where, as a log that only grows.
 *
 *      inline constexpr weft::state_key<weft::conversation, weft::converse> talk{"talk"};
 *
 *      weft::conversation said = node.get(talk);
 *      node.set(talk, said.add(weft::message::user("Why does it rain?"), {.node = "ask"}));
 *
 *  A value: a copy costs two pointers and the lanes, appending shares what is there, and a checkpoint stores only what
 *  was added. Nothing is ever taken out. That old messages are shortened, left out or summarised is said by entries as
 *  well, marks, which name what they cover; who looks at a lane sees marks in place of what they cover and pays only
 *  for what is in force.
 *
 *  It has lanes, which do not see each other: the main one, whose name is empty, for nodes that carry one talk on, and
 *  one for each node that talks for itself; see `conversation_mode`.
 *
 *  Branches that run in parallel each add to their own copy; where they meet, the reducer `converse` adds their entries
 *  one branch after the other. With `conflict_strategy::branch_order` the order does not depend on timing. What a
 *  branch has summarised stays summarised.
 *
 *  @par Thread safety   As a value.
 *  @par Source          The shape of a log with compaction records: TigerBeetle, src/lsm/manifest_log.zig.
 */
class conversation {
public:
    using value_type = conversation_entry;
    using const_iterator = list<conversation_entry>::const_iterator;

    /** What is known of one lane. */
    struct lane {
        std::string name{};
        std::uint32_t last = no_entry;         ///< Its newest entry.
        std::uint32_t latest_user = no_entry;  ///< Its newest message by a user that is in force.
        std::size_t messages = 0;              ///< How many messages and summaries are in force.
        tokens estimate{};                     ///< Of these, by `estimate_message`.
        std::string phase{};                   ///< Of the newest entry that has one.
        list<std::uint32_t> anchors{};         ///< Those in force that every view has, and marks; ascending.
    };

    /** How a message is added. */
    struct options {
        bool is_pinned = false;
        std::string label{};
    };

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
    [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
    [[nodiscard]] const conversation_entry& operator[](std::size_t position) const noexcept
    {
        return entries_[position];
    }
    [[nodiscard]] const_iterator begin() const noexcept { return entries_.begin(); }
    [[nodiscard]] const_iterator end() const noexcept { return entries_.end(); }
    /** As `list::extends`. */
    [[nodiscard]] bool extends(const conversation& older) const noexcept { return entries_.extends(older.entries_); }
    friend bool operator==(const conversation& a, const conversation& b) { return a.entries_ == b.entries_; }

    /** Adds a message. @return   The update for the state. */
    conversation_change add(weft::message said, provenance from) { return add(std::move(said), std::move(from), {}); }
    conversation_change add(weft::message said, provenance from, options how);
    /** Adds a mark about entries of the lane of `from`.
     *  @param text        Of a summary: what stands in their place; may be empty.
     *  @param positions   Those in force that it covers.
     *  @return            The update for the state. */
    conversation_change cover(entry_kind kind, std::string text, const std::vector<std::uint32_t>& positions,
                              provenance from, std::string label = {});
    /** Adds what was added to another copy. A mark that covers nothing that is still in force is not added. */
    void apply(conversation_change&& change);
    void apply(const conversation_change& change) { apply(conversation_change{change}); }
    /** What was added from a position on, as updates of the state. */
    [[nodiscard]] std::vector<conversation_change> changes_since(std::size_t position) const;
    /** Adds an entry as it was stored. */
    void push_back(conversation_entry&& entry);
    void push_back(const conversation_entry& entry) { push_back(conversation_entry{entry}); }

    /** Null if nothing was said in it. */
    [[nodiscard]] const lane* find_lane(std::string_view name) const noexcept;
    [[nodiscard]] const std::vector<lane>& lanes() const noexcept { return lanes_; }
    /** Where entries are that were seen before, of those in force, newest first: by place and id, or, if others came
     *  before them since, by id. Shorter than `places` if some are no longer in force. */
    [[nodiscard]] std::vector<std::uint32_t> find(std::string_view lane, std::vector<entry_place> places) const;
    /** The entry before this one in its lane, or `no_entry`. */
    [[nodiscard]] std::uint32_t before(std::uint32_t position) const noexcept { return facts_[position].previous; }
    /** Of the message as it was said. */
    [[nodiscard]] tokens estimate_of(std::uint32_t position) const noexcept { return facts_[position].estimate; }
    [[nodiscard]] entry_place place_of(std::uint32_t position) const noexcept
    {
        return {position, entries_[position].id};
    }

private:
    struct fact {
        std::uint32_t previous;
        tokens estimate;
    };

    lane& lane_for(const std::string& name);
    [[nodiscard]] std::int64_t next_id(const conversation_entry& of) const noexcept;
    [[nodiscard]] std::vector<entry_range> ranges_of(std::vector<std::uint32_t> positions) const;
    void recount(lane& of) const;

    list<conversation_entry> entries_;
    list<fact> facts_;
    std::vector<lane> lanes_;
};

/** The reducer of keys that hold a conversation. */
struct converse {
    using update_type = conversation_change;
    static constexpr std::string_view name = "converse";
    static void apply(conversation& current, conversation_change&& update) { current.apply(std::move(update)); }
    static void apply(conversation& current, const conversation_change& update) { current.apply(update); }
};

extern template struct compiled_value<conversation>;
extern template struct compiled_value<conversation_change>;
extern template struct compiled_key<conversation>;
extern template struct compiled_key<conversation, converse>;

/** Goes through the entries of a lane that are in force, newest first: marks, and what no later mark covers.
 *
 *      for (weft::lane_cursor at{talk, ""}; !at.is_done(); at.next()) read(at.entry());
 *
 *  Costs nothing for what is covered.
 *  @par Lifetimes   The conversation outlives it. */
class lane_cursor {
public:
    lane_cursor(const conversation& in, std::string_view lane);

    [[nodiscard]] bool is_done() const noexcept { return position_ == no_entry; }
    void next();

    [[nodiscard]] std::uint32_t position() const noexcept { return position_; }
    [[nodiscard]] const conversation_entry& entry() const noexcept { return in_[position_]; }
    /** Whether it is a tool result that is shown as a placeholder. */
    [[nodiscard]] bool is_shortened() const noexcept;
    /** What a reader pays for the entry as it is shown. */
    [[nodiscard]] tokens estimate() const;
    /** Where the entry is shown: a summary where the first of what it covers stood. */
    [[nodiscard]] std::uint32_t shown_at() const noexcept;

private:
    void settle();

    const conversation& in_;
    std::uint32_t position_;
    std::vector<entry_range> hidden_;
    std::vector<entry_range> shortened_;
};

/** What is shown in place of a tool result that was shortened: its length, and the reference by which the whole can
 *  still be read, if it has one (`spill_store`). */
[[nodiscard]] weft::message placeholder_of(const weft::message& result);

}  // namespace weft
