#pragma once

#include <weft/base/chrono.hpp>
#include <weft/graph/state/write_set.hpp>
#include <weft/graph/state_key.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** State that a node gives back instead of calling `node_context::set`:
 *
 *      weft::state_update plan() { return weft::state_update{}.set(topic, "rain").set(tries, 1); }
 *
 *  Its setters are there for variables and for temporaries: a node returns one in each visit, which must not copy. */
class state_update {
public:
    /** One write: a value, and whether it goes past the reducer of its key. */
    struct item {
        any_state_key key;
        value_ptr value;
        bool is_overwrite = false;
    };

    using item_list = std::vector<item, block_allocator<item>>;

    state_update() noexcept {}

    /** Writes a key: its reducer joins `update` to what is there; without a reducer `update` is the new value. */
    template <class T, class R, class U>
    state_update& set(const state_key<T, R>& key, U&& update) &
    {
        using update_type = typename state_key<T, R>::update_type;
        items_.push_back({key, graph_detail::box_for_key<update_type>(std::forward<U>(update))});
        return *this;
    }
    template <class T, class R, class U>
    state_update&& set(const state_key<T, R>& key, U&& update) &&
    {
        set(key, std::forward<U>(update));
        return std::move(*this);
    }

    /** Replaces the value of a key, whatever its reducer. */
    template <class T, class R, class U>
    state_update& overwrite(const state_key<T, R>& key, U&& value) &
    {
        items_.push_back({key, graph_detail::box_for_key<T>(std::forward<U>(value)), true});
        return *this;
    }
    template <class T, class R, class U>
    state_update&& overwrite(const state_key<T, R>& key, U&& value) &&
    {
        overwrite(key, std::forward<U>(value));
        return std::move(*this);
    }

    [[nodiscard]] item_list& items() noexcept { return items_; }
    [[nodiscard]] bool is_empty() const noexcept { return items_.empty(); }

private:
    item_list items_;
};

/** One item of a dynamic fan-out: a node, what it sees instead of or beside the state, and how long it may take.
 *
 *      std::vector<weft::send> items;
 *      for (const std::string& page : pages) items.emplace_back("read").input(url, page);
 *      return weft::command::fan_out(std::move(items));
 */
class send {
public:
    explicit send(std::string node) : node_{std::move(node)} {}

    /** A value that only this item's branch sees. It is no write: it reaches neither siblings nor the join. */
    template <class T, class R, class U>
    send& input(const state_key<T, R>& key, U&& value)
    {
        input_.overwrite(key, std::forward<U>(value));
        return *this;
    }
    /** For the item's branch; 0: the fan-out's `branch_timeout`. */
    send& timeout(std::chrono::nanoseconds limit)
    {
        timeout_ = limit;
        return *this;
    }

    [[nodiscard]] const std::string& node() const noexcept { return node_; }
    [[nodiscard]] state_update& values() noexcept { return input_; }
    [[nodiscard]] std::chrono::nanoseconds limit() const noexcept { return timeout_; }

private:
    std::string node_;
    state_update input_;
    std::chrono::nanoseconds timeout_{0};
};

/** Where a node wants its branch to go on: what the edges say, or something that beats them.
 *
 *      weft::command judge(weft::node_context& context)
 *      {
 *          if (context.get(score) < 0.8) return weft::command::go_to("write");
 *          return weft::command::next().set(verdict, "good");
 *      }
 */
class command {
public:
    enum class kind : unsigned char { next, go_to, end, again, fail, label, fan_out };

    /** As the edges say; what a node that returns nothing means. */
    [[nodiscard]] static command next() { return command{kind::next}; }
    /** To a node of the graph, whatever the edges say. An unknown name fails the node with `errc::unknown_node`. */
    [[nodiscard]] static command go_to(std::string node) { return command{kind::go_to, std::move(node)}; }
    /** Ends the branch, or the run if it has no branches open. */
    [[nodiscard]] static command end() { return command{kind::end}; }
    /** The same node once more, as a new visit. */
    [[nodiscard]] static command again() { return command{kind::again}; }
    /** The node failed for good, without an exception and without another attempt. */
    [[nodiscard]] static command fail(std::string reason) { return command{kind::fail, std::move(reason)}; }

    /** Along the node's edge with this label; a label that no edge has fails the node with `errc::unknown_label`. */
    [[nodiscard]] static command label(std::string label) { return command{kind::label, std::move(label)}; }
    /** A branch for each item, as many at once as the fan-out of this node allows; they meet at the first node that
     *  all of them are bound to reach behind the nodes they are sent to, or at the node's `.fan_in`. Without items the
     *  branch goes on where they would meet. Name the targets in the node's `goes_to`. */
    [[nodiscard]] static command fan_out(std::vector<send> items)
    {
        command result{kind::fan_out};
        result.items_ = std::make_unique<std::vector<send>>(std::move(items));
        return result;
    }

    command() noexcept {}

    /** Writes a key beside what the command says: `return weft::command::go_to("write").set(topic, "rain");` */
    template <class T, class R, class U>
    command&& set(const state_key<T, R>& key, U&& update) &&
    {
        update_.set(key, std::forward<U>(update));
        return std::move(*this);
    }

    /** Replaces the value of a key, whatever its reducer. */
    template <class T, class R, class U>
    command&& overwrite(const state_key<T, R>& key, U&& value) &&
    {
        update_.overwrite(key, std::forward<U>(value));
        return std::move(*this);
    }

    [[nodiscard]] kind which() const noexcept { return kind_; }
    /** Whether it says nothing but `next`. */
    [[nodiscard]] bool is_bare() const noexcept { return kind_ == kind::next && update_.is_empty(); }
    /** The node of `go_to`, the reason of `fail`, the label of `label`. */
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    [[nodiscard]] state_update& update() noexcept { return update_; }
    /** The items of `fan_out`; null for every other kind. */
    [[nodiscard]] std::vector<send>* items() noexcept { return items_.get(); }

private:
    explicit command(kind which, std::string text = {}) : kind_{which}, text_{std::move(text)} {}

    kind kind_ = kind::next;
    std::string text_;
    state_update update_;
    std::unique_ptr<std::vector<send>> items_;
};

}  // namespace weft
