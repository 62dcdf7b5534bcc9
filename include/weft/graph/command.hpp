#pragma once

#include <weft/graph/state_key.hpp>
#include <weft/graph/write_set.hpp>

#include <string>
#include <utility>
#include <vector>

namespace weft {

/** State that a node gives back instead of calling `node_context::set`. */
class state_update {
public:
    struct item {
        any_state_key key;
        value_ptr value;
        bool is_overwrite = false;
    };

    state_update() noexcept {}

    template <class T, class R, class U>
    state_update& set(const state_key<T, R>& key, U&& update) &
    {
        items_.push_back({key, make_box<typename state_key<T, R>::update_type>(std::forward<U>(update))});
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
        items_.push_back({key, make_box<T>(std::forward<U>(value)), true});
        return *this;
    }
    template <class T, class R, class U>
    state_update&& overwrite(const state_key<T, R>& key, U&& value) &&
    {
        overwrite(key, std::forward<U>(value));
        return std::move(*this);
    }

    [[nodiscard]] std::vector<item>& items() noexcept { return items_; }

private:
    std::vector<item> items_;
};

/** Where a node wants its branch to go on: what the edges say, or something that beats them. */
class command {
public:
    enum class kind : unsigned char { next, go_to, end, again, fail };

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

    command() noexcept {}

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
    /** The node of `go_to`, the reason of `fail`. */
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    [[nodiscard]] state_update& update() noexcept { return update_; }

private:
    explicit command(kind which, std::string text = {}) : kind_{which}, text_{std::move(text)} {}

    kind kind_ = kind::next;
    std::string text_;
    state_update update_;
};

}  // namespace weft
